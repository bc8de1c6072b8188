import { createServer } from 'node:http'
import type { Origin } from '@lantern-room/base/network'
import { createFetchText, createPortalProbe, getOnce } from '#internal/adapters/transports/fetchText'
import { openPort } from '#support/process/openPort'
import { assert, suite } from '#support/runner/suite'
import { failure } from '../../../contract/ports/transports/setting'

const test = suite('transports: where a list leads')

const { signal } = new AbortController()

/** The addresses of names. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'list.test': ['20.0.0.1'],
  'other.test': ['20.0.0.2', '2001:470::2'],
  'nas.test': ['192.168.1.5'],
  'inside.test': ['127.0.0.1'],
  'sixth.test': ['::ffff:127.0.0.1', '64:ff9b::7f00:1'],
  'any.test': ['0.0.0.0'],
  'cloud.test': ['169.254.169.254'],
  'router.test': ['192.168.1.1'],
  localhost: ['127.0.0.1', '::1'],
  'both.test': ['127.0.0.1', '20.0.0.3'],
}

/**
 * A machine in whose network every server is the same one of this test.
 * @param answers by host, port and path: a text, or `→` with the status and the location
 */
async function world(answers: Readonly<Record<string, string>>, names = NAMES) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const at = `${request.headers.host}${request.url}`
    const answer = answers[at] ?? '404'
    const [, status, location] = /^(\d{3})(?: (.*))?$/s.exec(answer) ?? []
    if (status === undefined) response.end(answer)
    else response.writeHead(Number(status), location ? { location } : {}).end('<a href="/x">moved</a>')
  })
  const port = await openPort(server)
  const asking = {
    resolve: async (host: string) => names[host] ?? (/^[\d.]+$|:/.test(host) ? [host] : []),
    machine: {
      isOwnAddress: (address: string) => address === '192.168.1.7',
      isOwnName: () => false,
      isOnOwnSubnet: () => true,
    },
    /** Connects to this test's server, under the name of the URL. */
    get(url: URL, addresses: readonly string[], stopping: AbortSignal) {
      asked.push(`${url.href} at ${addresses.join(' ')}`)
      const here = new URL(`http://here.test:${port}${url.pathname}${url.search}`)
      return getOnce(here, ['127.0.0.1'], stopping, url.host)
    },
  }
  return {
    asked,
    read: (url: string, origin: Origin = 'typed') => createFetchText(asking)(url, origin, signal),
    isBehindPortal: () => createPortalProbe(asking)(signal),
    close: () => void server.close(),
  }
}

test('a redirect leads to another server of the internet, one at a time and five at most', async () => {
  const { read, asked, close } = await world({
    'list.test/moved': '301 http://other.test/again',
    'other.test/again': '308 /list?x=1',
    'other.test/list?x=1': 'tcp://20.0.0.9:1',
    'list.test/circle': '302 /circle',
  })
  assert.is(await read('http://list.test/moved'), 'tcp://20.0.0.9:1')
  assert.equal(asked.splice(0), [
    'http://list.test/moved at 20.0.0.1',
    'http://other.test/again at 20.0.0.2 2001:470::2',
    'http://other.test/list?x=1 at 20.0.0.2 2001:470::2',
  ])
  assert.is(await failure(read('http://list.test/circle')), 'it redirects too often')
  assert.is(asked.length, 6)
  close()
})

const TARGETS = [
  'http://127.0.0.1:5062/state/scanning?player=x&room=U',
  'http://localhost:5062/state/ide',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://017700000001/',
  'http://127.1:80/',
  'http://[::1]:5062/panic?peaceful=true',
  'http://[::ffff:127.0.0.1]:5062/',
  'http://[64:ff9b::7f00:1]/',
  'http://[2002:7f00:1::1]/',
  'http://0.0.0.0:5062/',
  'http://169.254.169.254/latest/meta-data/',
  'http://192.168.1.1/cgi-bin/reboot?now=1',
  'http://192.168.1.7:8000/',
  'http://10.0.0.1/',
  'http://100.64.0.1/',
  'http://224.0.0.1/',
  'http://255.255.255.255/',
  'http://inside.test/',
  'http://sixth.test/',
  'http://any.test/',
  'http://cloud.test/',
  'http://router.test/reboot',
  'http://nas.test/',
  'http://user:secret@other.test/',
  '//127.0.0.1:5062/state/ide',
]

for (const status of [301, 302, 303, 307, 308])
  test(`no redirect with ${status} leads to this machine, to its network or to no machine`, async () => {
    for (const target of TARGETS) {
      const { read, asked, close } = await world({
        'list.test/a': `${status} http://other.test/b`,
        'other.test/b': `${status} ${target}`,
      })
      assert.match(await failure(read('http://list.test/a')), /^not asked|no address/, target)
      assert.is(asked.length, 2, target)
      close()
    }
  })

test('a list that others name leads there as little', async () => {
  for (const target of TARGETS.filter((one) => one.startsWith('http'))) {
    const { read, asked, close } = await world({})
    assert.match(await failure(read(target, 'others')), /^not asked|no address/, target)
    assert.equal(asked, [], target)
    close()
  }
})

test('a typed name leads to this machine no more than a redirect does, and to its own network', async () => {
  const { read, asked, close } = await world({
    'nas.test/list': 'tcp://20.0.0.9:1',
    'both.test/': 'udp://20.0.0.9:1',
  })
  for (const name of ['inside.test', 'sixth.test', 'any.test', 'cloud.test'])
    assert.match(await failure(read(`http://${name}/`)), /^not asked: it leads to/, name)
  assert.equal(asked.splice(0), [])
  assert.is(await read('http://nas.test/list'), 'tcp://20.0.0.9:1')
  assert.is(await read('http://both.test/'), 'udp://20.0.0.9:1')
  assert.equal(asked, ['http://nas.test/list at 192.168.1.5', 'http://both.test/ at 20.0.0.3'])
  close()
})

test('a typed list of the own network may lead to its other page, on the same server alone', async () => {
  const { read, asked, close } = await world({
    '192.168.1.5:8000/nodes': '301 /nodes/',
    '192.168.1.5:8000/nodes/': 'tcp://192.168.1.5:11010',
    '192.168.1.5:8000/port': '301 http://192.168.1.5:8001/',
    '192.168.1.5:8000/host': '301 http://192.168.1.6:8000/',
    '192.168.1.5:8000/back': '301 http://list.test/back',
    'list.test/back': '301 http://192.168.1.5:8000/nodes/',
    '127.0.0.1:8000/here': '301 /nodes/',
    '192.168.1.7:8000/here': '301 /nodes/',
  })
  assert.is(await read('http://192.168.1.5:8000/nodes'), 'tcp://192.168.1.5:11010')
  for (const path of ['port', 'host', 'back'])
    assert.match(
      await failure(read(`http://192.168.1.5:8000/${path}`)),
      /^not asked: it leads by http to/,
      path,
    )
  for (const here of ['127.0.0.1', '192.168.1.7'])
    assert.match(await failure(read(`http://${here}:8000/here`)), /this computer itself/, here)
  assert.is(asked.filter((line) => line.includes('/nodes/')).length, 1)
  close()
})

test('a redirect from https leads to no plain address, and one to a node is that node’s URL', async () => {
  const { read, asked, close } = await world({
    'list.test/plain': '302 http://other.test/',
    'list.test/node': '302 tcp://20.0.0.9:11010',
    'list.test/file': '302 file:///etc/passwd',
  })
  assert.is(await failure(read('https://list.test/plain')), 'it redirects from https to http')
  assert.is(await read('https://list.test/node'), 'tcp://20.0.0.9:11010')
  assert.is(await read('https://list.test/file'), 'file:///etc/passwd')
  assert.is(asked.length, 3)
  close()
})

test('a login page answers for a name that nothing has; a machine of the LAN is not asked for it', async () => {
  const portal = 'lantern-room.invalid'
  for (const [address, isAsked] of [
    ['192.168.1.1', false],
    ['20.0.0.1', true],
  ] as const) {
    const { isBehindPortal, asked, close } = await world(
      { [`${portal}/`]: '302 http://127.0.0.1/' },
      { [portal]: [address] },
    )
    assert.is(await isBehindPortal(), true)
    assert.is(asked.includes(`http://${portal}/ at ${address}`), isAsked, address)
    assert.not.ok(asked.some((line) => line.startsWith('http://127')))
    close()
  }
  for (const address of ['127.0.0.1', '0.0.0.0', '169.254.169.254', '192.168.1.7', '::1']) {
    const { isBehindPortal, asked, close } = await world({}, { [portal]: [address] })
    assert.is(await failure(isBehindPortal()), 'All promises were rejected', address)
    assert.equal(asked, ['http://192.0.2.1/ at 192.0.2.1'], address)
    close()
  }
})

test.run()
