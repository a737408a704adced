#!/usr/bin/env python3
"""The check of the include directions accepts right arrows, and names each wrong one."""
import pathlib, subprocess, sys, tempfile, unittest

CHECK = pathlib.Path(__file__).resolve().parents[2] / 'scripts' / 'check_includes'

def run(files):
    with tempfile.TemporaryDirectory() as tree:
        for name, text in files.items():
            file = pathlib.Path(tree, name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        done = subprocess.run([sys.executable, CHECK, tree], capture_output=True, text=True)
        return done.returncode, done.stdout

class CheckIncludes(unittest.TestCase):
    def test_a_lower_room_may_be_included(self):
        self.assertEqual(run({'log/a.h': '#include "engine/model/term.h"\n'})[0], 0)

    def test_a_higher_room_may_not(self):
        status, text = run({'engine/store/a.cc': '// x\n#include "log/changeset.h"\n'})
        self.assertEqual(status, 1)
        self.assertIn('engine/store/a.cc:2: engine/store includes log', text)

    def test_reconcile_never_includes_policies(self):
        self.assertEqual(run({'reconcile/a.h': '#include "policies/sum.h"\n'})[0], 1)

    def test_sync_knows_neither_replica_nor_sim(self):
        self.assertEqual(run({'sync/a.h': '#include "replica/site/site.h"\n'})[0], 1)
        self.assertEqual(run({'sync/a.h': '#include "sim/link.h"\n'})[0], 1)

    def test_sim_uses_a_site_but_no_socket_of_replica(self):
        self.assertEqual(run({'sim/a.cc': '#include "replica/site/site.h"\n'})[0], 0)
        self.assertEqual(run({'sim/a.cc': '#include "replica/transport/asio_stream.h"\n'})[0], 1)

    def test_a_site_without_sockets_knows_none(self):
        self.assertEqual(run({'replica/site/a.cc': '#include "replica/http/server.h"\n'})[0], 1)

    def test_a_parallel_room_inside_engine_may_not(self):
        self.assertEqual(run({'engine/exec/a.cc': '#include "engine/store/store.h"\n'})[0], 1)

    def test_relative_includes_are_refused(self):
        self.assertEqual(run({'log/a.cc': '#include "changeset.h"\n'})[0], 1)

    def test_a_source_outside_all_rooms_is_refused(self):
        self.assertEqual(run({'helpers/a.cc': 'int x;\n'})[0], 1)

if __name__ == '__main__':
    unittest.main()
