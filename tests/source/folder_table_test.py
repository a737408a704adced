#!/usr/bin/env python3
"""The folder table of docs/ARCHITECTURE.md and the tree agree: every folder with sources has a row, every row a folder."""
import pathlib, re, subprocess, unittest

TREE = pathlib.Path(__file__).resolve().parents[2]

def folders_of_the_table():
    text = (TREE / 'docs' / 'ARCHITECTURE.md').read_text(encoding='utf-8')
    return set(re.findall(r'^\| `([^`]+)/` \|', text, re.M))

def folders_of_the_tree():
    skipped = ('build', 'tests')
    found = set()
    for file in TREE.rglob('*'):
        name = file.relative_to(TREE)
        if name.parts[0].startswith('.') or name.parts[0] in skipped: continue
        if file.suffix in ('.h', '.cc', '.capnp', '.toml') and len(name.parts) > 1: found.add(name.parent.as_posix())
    return found | {'tests', 'docs', 'scripts', 'cmake'}

class FolderTable(unittest.TestCase):
    def test_every_folder_stands_in_the_table(self):
        self.assertEqual(sorted(folders_of_the_tree() - folders_of_the_table()), [])

    def test_every_row_names_a_folder(self):
        self.assertEqual([f for f in sorted(folders_of_the_table()) if not (TREE / f).is_dir()], [])

    def test_the_table_is_not_empty(self):
        self.assertGreater(len(folders_of_the_table()), 10)

if __name__ == '__main__':
    unittest.main()
