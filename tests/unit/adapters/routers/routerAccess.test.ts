import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { PortMapping } from '@lantern-room/routers'
import {
  createMappingRecord,
  createRouterAccess,
  defaultGateways,
  usualGateways,
} from '#internal/adapters/routers/routerAccess'
import { openPort } from '#support/process/openPort'
import { folderOfEachTest } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { silentLog } from '#support/values/testLog'

const test = suite('routers of this machine’s networks')

const log = silentLog()
const never = new AbortController().signal
const MAPPING: PortMapping = {
  method: 'upnp',
  router: 'http://192.168.1.1/ctl',
  service: 'urn:x',
  transport: 'udp',
  localPort: 4000,
  external: { address: '20.0.0.1', port: 4001 },
}
const folder = folderOfEachTest(test, 'routers')

const record = () => createMappingRecord(join(folder(), 'room', 'ports.json'), log)

test('the record outlives the program, and knows what is no longer open', async () => {
  const first = record()
  assert.equal(await first.leftovers(), [])
  await Promise.all([first.add(MAPPING), first.add({ ...MAPPING, transport: 'tcp' })])
  await first.remove({ ...MAPPING, transport: 'tcp' })
  const second = record()
  assert.equal(await second.leftovers(), [MAPPING])
  await second.remove(MAPPING)
  assert.is(await readFile(join(folder(), 'room', 'ports.json'), 'utf8'), '[]')
})

test('a file that is damaged or cannot be written is no failure', async () => {
  await writeFile(join(folder(), 'room'), 'a file in place of the folder')
  const blocked = record()
  assert.equal(await blocked.leftovers(), [])
  await blocked.add(MAPPING)
  const damaged = createMappingRecord(join(folder(), 'damaged.json'), log)
  await writeFile(join(folder(), 'damaged.json'), '[{"method":"upnp"}]')
  assert.equal(await damaged.leftovers(), [])
})

test('a mapping by a method of another version costs the others nothing', async () => {
  await mkdir(join(folder(), 'room'))
  const older = JSON.stringify([{ ...MAPPING, method: 'pcp' }, MAPPING])
  await writeFile(join(folder(), 'room', 'ports.json'), older)
  assert.equal(await record().leftovers(), [MAPPING])
})

test('a mapping by NAT-PMP names no service, also where an older version has written an empty one', async () => {
  const { service, ...rest } = MAPPING
  const mapping: PortMapping = { ...rest, method: 'nat-pmp', router: '192.168.1.1' }
  await mkdir(join(folder(), 'room'))
  await writeFile(join(folder(), 'room', 'ports.json'), JSON.stringify([{ ...mapping, service: '' }]))
  const older = record()
  assert.equal(await older.leftovers(), [mapping])
  await older.add({ ...mapping, transport: 'tcp' })
  assert.equal(await record().leftovers(), [mapping, { ...mapping, transport: 'tcp' }])
})

test('the default gateways are read from Linux’s table of routes', async () => {
  const table = [
    'Iface\tDestination\tGateway\tFlags',
    'eth0\t00000000\t0100A8C0\t0003',
    'eth0\t0000A8C0\t00000000\t0001',
    'wlan0\t00000000\tFE01000A\t0003',
    'tun0\t00000000\t00000000\t0001',
  ].join('\n')
  assert.equal(defaultGateways(table), ['192.168.0.1', '10.0.1.254'])
})

test('elsewhere the first address of each network is tried', () => {
  const info = { netmask: '255.255.255.0', family: 'IPv4', mac: '', internal: false } as const
  assert.equal(
    usualGateways({
      lo: [{ ...info, address: '127.0.0.1', cidr: '127.0.0.1/8', internal: true }],
      en0: [{ ...info, address: '192.168.7.23', cidr: '192.168.7.23/24' }],
      en1: [{ ...info, address: '10.1.2.3', cidr: '10.1.2.3/16' }],
      en2: [{ ...info, address: '169.254.3.3', cidr: '169.254.3.3/16' }],
    }),
    ['192.168.7.1', '10.1.0.1'],
  )
})

test('an exchange tells status, text and our address; a call is a POST with its action', async () => {
  const heard: { method: string | undefined; action: string | undefined; body: string }[] = []
  const server = createServer(async (request: IncomingMessage, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    heard.push({ method: request.method, action: String(request.headers.soapaction), body })
    if (request.url === '/long') response.end('x'.repeat(65 * 1024))
    else if (request.url === '/elsewhere') response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end()
    else response.writeHead(500).end('<errorCode>718</errorCode>')
  })
  const url = `http://127.0.0.1:${await openPort(server)}`
  const access = createRouterAccess({ networkInterfaces: () => ({}), record: record() })
  try {
    assert.equal(await access.request(url, never, { action: '"a#b"', body: 'ü' }), {
      status: 500,
      text: '<errorCode>718</errorCode>',
      localAddress: '127.0.0.1',
    })
    assert.equal(heard, [{ method: 'POST', action: '"a#b"', body: 'ü' }])
    assert.is((await access.request(`${url}/elsewhere`, never)).status, 302)
    assert.match(await access.request(`${url}/long`, never).then(() => 'read', String), /64 KiB/)
    const stop = new AbortController()
    stop.abort(new Error('over'))
    assert.match(await access.request(url, stop.signal).then(() => 'read', String), /over/)
  } finally {
    server.close()
  }
})

test.run()
