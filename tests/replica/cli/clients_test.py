"""Clients that others wrote, against a site that is being served: curl, rdflib and SPARQLWrapper.
usage: clients_test.py QUADRILLE; prints what failed and exits 1, or exits 0. A client that is not there is said."""
import gzip, json, os, re, signal, subprocess, sys, tempfile, traceback, urllib.request

TURTLE = '@prefix : <http://example.org/> . :alice :knows :bob ; :name "Alice"@en, "\\u00c6lfgifu" ; :age 42 . :bob :name "Bob" .'


class Site:
    def __init__(self, program):
        self.files = tempfile.TemporaryDirectory()
        directory = os.path.join(self.files.name, 'ams')
        token = subprocess.run([program, 'token', 'writer', '--role', 'write'], check=True, capture_output=True, text=True).stdout
        self.token = re.search(r'q_[0-9a-f]+', token).group()
        config = os.path.join(self.files.name, 'site.toml')
        with open(config, 'w') as out:
            out.write('[http]\nanonymous = "read"\nallow_origins = ["https://app.example"]\n' + token)
        subprocess.run([program, 'init', directory, '--site', 'ams', '--config', config], check=True, capture_output=True)
        self.process = subprocess.Popen([program, 'serve', directory, '--http', '127.0.0.1:0', '--sync', '127.0.0.1:0'],
                                        stdout=subprocess.PIPE, text=True)
        self.url = re.search(r'http://\S+', self.process.stdout.readline()).group()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(20) == 0, 'the site stops cleanly'
        self.files.cleanup()


def curl(*arguments, data=None):
    done = subprocess.run(['curl', '-sS', '--noproxy', '*', *arguments], input=data, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def with_curl(site):
    bearer = ('-H', f'Authorization: Bearer {site.token}')
    turtle = ('-H', 'Content-Type: text/turtle', '--data-raw', TURTLE)
    status = ('-o', '/dev/null', '-w', '%{http_code}')
    assert curl(*status, '-X', 'PUT', *turtle, site.url + '/data?graph=http://example.org/g') == b'401'
    assert curl(*status, '-X', 'PUT', '-H', 'Authorization: Bearer q_wrong', *turtle, site.url + '/data?default') == b'401'
    assert curl(*status, '-X', 'PUT', *bearer, *turtle, site.url + '/data?graph=http://example.org/g') == b'201'
    assert curl(*status, '-X', 'PUT', '-u', 'anybody:' + site.token, *turtle, site.url + '/data?default') == b'200'
    assert curl(*status, *bearer, '-X', 'POST', site.url + '/members', '-d', '{}') == b'403'

    query = ('--data-urlencode', 'query=SELECT ?n { ?s <http://example.org/name> ?n } ORDER BY STR(?n)', site.url + '/sparql')
    rows = json.loads(curl('-G', *query))['results']['bindings']
    assert [row['n']['value'] for row in rows] == ['Alice', 'Bob', '\u00c6lfgifu'], rows
    assert curl('-H', 'Accept: text/csv', *query) == 'n\r\nAlice\r\nBob\r\n\u00c6lfgifu\r\n'.encode()
    head = curl('-I', '-G', *query).decode()
    assert head.startswith('HTTP/1.1 200') and 'sparql-results+json' in head, head

    # compressed, whole and as it is made
    quads = ' '.join(f'<urn:s{i}> <urn:p> "value number {i}" .' for i in range(20000))
    curl(*bearer, '-H', 'Content-Type: application/sparql-update', '--data-binary', '@-', site.url + '/sparql',
         data=f'INSERT DATA {{ {quads} }}'.encode())
    plain = curl('-H', 'Accept: application/n-triples', site.url + '/data?default')
    assert plain.count(b'\n') == 20005, plain[:200]
    for limit in (100, 20000):
        rows = ('-H', 'Accept: text/csv', '--data-urlencode', f'query=SELECT * {{ ?s <urn:p> ?o }} ORDER BY ?s LIMIT {limit}', site.url + '/sparql')
        packed = curl('-H', 'Accept-Encoding: gzip', *rows)
        assert gzip.decompress(packed) == curl(*rows), 'gzip gives the same answer'
        zstd = curl('-H', 'Accept-Encoding: zstd, gzip;q=0.5', *rows)
        unpacked = subprocess.run(['zstd', '-dc'], input=zstd, capture_output=True, check=True).stdout
        assert unpacked == curl(*rows), 'zstd gives the same answer'
        assert len(packed) < len(unpacked) / 3, (len(packed), len(unpacked))
    assert curl('--compressed', '-H', 'Accept: application/n-triples', site.url + '/data?default') == plain

    # a page of another origin
    preflight = curl('-i', '-X', 'OPTIONS', '-H', 'Origin: https://app.example', '-H', 'Access-Control-Request-Method: POST',
                     '-H', 'Access-Control-Request-Headers: authorization', site.url + '/sparql').decode().lower()
    assert preflight.startswith('http/1.1 204') and 'access-control-allow-origin: https://app.example' in preflight, preflight
    assert 'post' in preflight and 'authorization' in preflight
    answer = curl('-i', '-H', 'Origin: https://app.example', '-G', *query).decode().lower()
    assert 'access-control-allow-origin: https://app.example' in answer

    # an upload whose length nobody says, as chunks
    document = ''.join(f'<urn:c{i}> <urn:q> "{i}" .\n' for i in range(100000)).encode()
    sent = curl(*bearer, '-H', 'Content-Type: application/n-triples', '-T', '-', '-X', 'POST', site.url + '/data?graph=urn:chunks', data=document)
    assert json.loads(sent)['inserted'] == 100000, sent


def with_metrics(site):
    """The text format, line by line: https://prometheus.io/docs/instrumenting/exposition_formats/"""
    text = curl(site.url + '/metrics').decode()
    sample = re.compile(r'^([a-z_][a-z0-9_]*)(\{(?:[a-z_]+="(?:[^"\\\n]|\\[\\"n])*",?)*\})? (-?[0-9.e+-]+|\+Inf|NaN)$')
    kinds, samples = {}, {}
    for line in text.splitlines():
        if line.startswith('# TYPE '):
            _, _, name, kind = line.split(' ')
            assert name not in kinds, f'{name} stands twice'
            kinds[name] = kind
        elif not line.startswith('# HELP '):
            match = sample.match(line)
            assert match, line
            name, labels, value = match.groups()
            key = (name, labels or '')
            assert key not in samples, f'{key} stands twice'
            samples[key] = float(value)
            family = re.sub(r'_(bucket|sum|count)$', '', name) if name not in kinds else name
            assert family in kinds, f'{name} has no type'
            assert kinds[family] != 'counter' or name.endswith('_total'), f'{name}: counters end in _total'
    queries = samples[('quadrille_http_requests_total', '{operation="query",outcome="ok"}')]
    assert queries >= 5, queries
    assert samples[('quadrille_http_request_duration_seconds_count', '{operation="query"}')] == queries + sum(
        samples[('quadrille_http_requests_total', f'{{operation="query",outcome="{other}"}}')] for other in ('client_error', 'server_error', 'broken_off'))
    buckets = [value for (name, labels), value in samples.items() if name.endswith('_bucket') and '"query"' in labels]
    assert buckets == sorted(buckets), 'buckets count up'
    assert samples[('quadrille_quads', '')] > 20000
    assert samples[('quadrille_commits_total', '')] >= 2
    assert samples[('quadrille_disk_free_bytes', '')] > 0 and samples[('quadrille_store_bytes', '')] > 0


def with_rdflib(site):
    import rdflib
    from rdflib.plugins.stores.sparqlstore import SPARQLUpdateStore
    ns = rdflib.Namespace('http://example.org/')
    store = SPARQLUpdateStore(site.url + '/sparql', site.url + '/sparql', auth=('rdflib', site.token))
    graph = rdflib.Graph(store, identifier=rdflib.URIRef('http://example.org/rdflib'))
    graph.add((ns.carol, ns.name, rdflib.Literal('Carol', lang='nl')))
    graph.add((ns.carol, ns.age, rdflib.Literal(7)))
    assert len(graph) == 2
    assert set(graph.objects(ns.carol, ns.name)) == {rdflib.Literal('Carol', lang='nl')}
    graph.remove((ns.carol, ns.age, None))
    assert (ns.carol, ns.age, rdflib.Literal(7)) not in graph
    rows = list(graph.query('SELECT ?s { ?s ?p "Carol"@nl }'))
    assert [row.s for row in rows] == [ns.carol]
    assert graph.query('ASK { ?s ?p ?o }').askAnswer
    # what it reads of our documents
    parsed = rdflib.Graph().parse(site.url + '/data?graph=http://example.org/g', format='turtle')
    assert len(parsed) == 5 and (ns.alice, ns.age, rdflib.Literal(42)) in parsed
    description = rdflib.Graph().parse(site.url + '/sparql', format='turtle')
    assert len(description) > 10


def with_sparqlwrapper(site):
    import SPARQLWrapper as sw
    client = sw.SPARQLWrapper(site.url + '/sparql')
    client.setQuery('SELECT ?n { GRAPH <http://example.org/g> { ?s <http://example.org/name> ?n } } ORDER BY ?n')
    for wanted in (sw.JSON, sw.XML, sw.CSV, sw.TSV):
        client.setReturnFormat(wanted)
        result = client.query().convert()
        if wanted == sw.JSON:
            assert len(result['results']['bindings']) == 3, result
        elif wanted == sw.XML:
            assert len(result.getElementsByTagName('result')) == 3
        else:
            assert len(result.splitlines()) == 4, result
    client.setQuery('CONSTRUCT { ?s ?p ?o } { GRAPH <http://example.org/g> { ?s ?p ?o } }')
    client.setReturnFormat(sw.TURTLE)
    assert b'Alice' in client.query().convert()
    update = sw.SPARQLWrapper(site.url + '/sparql')
    update.setMethod(sw.POST)
    update.setQuery('INSERT DATA { <urn:w> <urn:p> 1 }')
    try:
        update.query()
        assert False, 'an update without a token is refused'
    except sw.SPARQLExceptions.Unauthorized:
        pass
    update.setCredentials('anybody', site.token)
    update.query()
    client.setQuery('ASK { <urn:w> <urn:p> 1 }')
    client.setReturnFormat(sw.JSON)
    assert client.query().convert()['boolean']
    client.setQuery('ASK {')
    try:
        client.query()
        assert False, 'a bad query is refused'
    except sw.SPARQLExceptions.QueryBadFormed:
        pass


def main():
    site = Site(sys.argv[1])
    failed = 0
    try:
        for attempt in (with_curl, with_metrics, with_rdflib, with_sparqlwrapper):
            try:
                attempt(site)
                print(f'{attempt.__name__}: passed')
            except ImportError as error:
                print(f'{attempt.__name__}: skipped, {error}')
            except Exception:
                failed += 1
                print(f'{attempt.__name__}: failed')
                traceback.print_exc(file=sys.stdout)
        site.stop()
    finally:
        site.process.kill()
    sys.exit(1 if failed else 0)


main()
