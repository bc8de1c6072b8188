import { readElement } from '#internal/routers/igd'
import { findUpnpRouter, removeByUpnp } from '#internal/routers/upnpRouter'
import { assert, suite } from '#support/runner/suite'
import { createRouterGround } from './routerGround'

const test = suite('a router by UPnP', { setUp: createRouter })

const never = new AbortController().signal
const TYPE = 'urn:schemas-upnp-org:service:WANIPConnection:1'
const FOUND = new TextEncoder().encode(
  'HTTP/1.1 200 OK\r\nST: urn:schemas-upnp-org:device:InternetGatewayDevice:1\r\nLOCATION: http://192.168.1.1:80/d.xml\r\n\r\n',
)
const DESCRIPTION = `<service><serviceType>${TYPE}</serviceType><controlURL>/ctl</controlURL></service>`

/** A router that refuses calls with these codes, in this order. */
function createRouter(...refusals: string[]) {
  const bodies: string[] = []
  const ground = createRouterGround({
    datagram: (_bytes, to) => (to.port === 1900 ? [[FOUND, { address: '192.168.1.1', port: 1900 }]] : []),
    request(_url, soap) {
      if (!soap) return { status: 200, text: DESCRIPTION }
      if (soap.action.includes('GetExternalIPAddress')) {
        return { status: 200, text: '<r><NewExternalIPAddress>20.0.0.1</NewExternalIPAddress></r>' }
      }
      bodies.push(soap.body)
      const code = refusals.shift()
      if (code === undefined) return { status: 200, text: '<ok/>' }
      return { status: 500, text: `<errorCode>${code}</errorCode>` }
    },
  })
  return { ...ground, bodies }
}

const asked = (body: string | undefined) =>
  ['NewExternalPort', 'NewProtocol', 'NewInternalClient', 'NewLeaseDuration'].map((name) =>
    readElement(body ?? '', name),
  )

test('it is found, described, and opens a port for this machine for ten minutes', async (router) => {
  const mapping = await (await findUpnpRouter(router, never)).map('udp', 4000, 4001, never)
  assert.equal(mapping, {
    method: 'upnp',
    router: 'http://192.168.1.1/ctl',
    service: TYPE,
    transport: 'udp',
    localPort: 4000,
    external: { address: '20.0.0.1', port: 4001 },
  })
  assert.equal(asked(router.bodies[0]), ['4001', 'UDP', '192.168.1.7', '600'])
  await removeByUpnp(router, mapping, never)
  assert.is(router.asked.at(-1), 'DeletePortMapping')
  assert.equal([router.sockets(), router.clock.timers], [0, 0])
})

test('a port of another machine is left to it, and mappings may be for ever where nothing else is possible', async () => {
  const router = createRouter('718', '725')
  const { external } = await (await findUpnpRouter(router, never)).map('tcp', 4000, 4001, never)
  assert.is(external.port, 4002)
  const ports = router.bodies.map((body) => asked(body)[0])
  assert.equal(ports, ['4001', '4002', '4002'])
  assert.equal(asked(router.bodies[2])[3], '0')
})

test('a machine that answers a thousand times is asked a few times, and the router is found beside it', async () => {
  const text = new TextDecoder().decode(FOUND)
  const lies = Array.from({ length: 1000 }, (_, at) =>
    new TextEncoder().encode(text.replace('192.168.1.1:80/d.xml', `192.168.1.66/${at}`)),
  )
  const router = createRouterGround({
    datagram: (_bytes, to) =>
      to.port === 1900
        ? [
            ...lies.map((lie) => [lie, { address: '192.168.1.66', port: 1900 }] as const),
            [FOUND, { address: '192.168.1.1', port: 1900 }],
          ]
        : [],
    request: (url) => ({ status: 200, text: url.includes('192.168.1.66') ? '' : DESCRIPTION }),
  })
  assert.is((await findUpnpRouter(router, never)).method, 'upnp')
  assert.ok(router.asked.length <= 5, `${router.asked.length} requests`)
})

/** Searches a router, which is given up after a while, and uses what was found. @returns the outcome, or an error */
async function foundBy(
  ground: ReturnType<typeof createRouterGround>,
  use: (found: Awaited<ReturnType<typeof findUpnpRouter>>) => unknown = (found) => found,
): Promise<unknown> {
  const gone = new AbortController()
  const searching = findUpnpRouter(ground, gone.signal)
    .then(use)
    .catch((error: unknown) => error)
  await ground.clock.advance(20_000)
  gone.abort(new Error('given up'))
  return searching
}

test('an answer that leads elsewhere, and a description whose calls go elsewhere, have nothing asked there', async () => {
  const text = new TextDecoder().decode(FOUND)
  const elsewhere = [
    'http://127.0.0.1:5062/state/scanning?player=x',
    'http://[::1]:5062/state/ide',
    'http://192.168.1.9/d.xml',
    'http://10.0.0.1/d.xml',
    'http://203.0.113.9/d.xml',
    'http://169.254.169.254/latest/meta-data',
    'http://user:secret@192.168.1.1/d.xml',
    'https://192.168.1.1/d.xml',
    'http://router.example/d.xml',
  ]
  for (const url of elsewhere) {
    const lie = new TextEncoder().encode(text.replace('http://192.168.1.1:80/d.xml', url))
    const led = createRouterGround({
      datagram: (_bytes, to) => (to.port === 1900 ? [[lie, { address: '192.168.1.1', port: 1900 }]] : []),
      request: () => ({ status: 200, text: DESCRIPTION }),
    })
    assert.ok((await foundBy(led)) instanceof Error, url)
    assert.equal(led.asked, [], url)

    const description = DESCRIPTION.replace('/ctl', url)
    const router = createRouterGround({
      datagram: (_bytes, to) => (to.port === 1900 ? [[FOUND, { address: '192.168.1.1', port: 1900 }]] : []),
      request: (_url, soap) => ({ status: 200, text: soap ? '<ok/>' : description }),
    })
    await foundBy(router, (found) => found.map('udp', 4000, 4001, never))
    assert.equal(router.asked, ['http://192.168.1.1/d.xml'], url)
  }
})

test('any other refusal is final', async () => {
  const router = createRouter('606')
  const found = await findUpnpRouter(router, never)
  assert.match(String(await found.map('tcp', 4000, 4001, never).catch(String)), /606/)
  assert.is(router.bodies.length, 1)
})

test('conflicts end at some time', async () => {
  const router = createRouter(...Array.from({ length: 20 }, () => '718'))
  const found = await findUpnpRouter(router, never)
  assert.match(String(await found.map('tcp', 4000, 4001, never).catch(String)), 'Error')
  assert.is(router.bodies.length, 5)
})

test.run()
