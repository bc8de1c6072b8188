import { createServer } from 'node:net'
import { assert, suite } from '#support/runner/suite'
import { rejectedRefusal } from '#support/values/failures'
import { bindPort, type ListenAddress } from '../../../local-runner/bindPort'

const test = suite('binding a port')

const AT: ListenAddress = { host: '127.0.0.1', port: 5062, name: 'ROOM_PORT' }

/** A system that refuses these ports with these codes. @returns the ports that were tried */
async function bindWhere(refused: Readonly<Record<number, string>>, at: ListenAddress): Promise<number[]> {
  const tried: number[] = []
  const server = createServer()
  server.listen = (port?: unknown) => {
    tried.push(Number(port))
    const code = refused[Number(port)]
    const error = Object.assign(new Error(`listen ${code}`), { code })
    process.nextTick(() => (code === undefined ? server.emit('listening') : server.emit('error', error)))
    return server
  }
  await bindPort(server, at)
  return tried
}

async function refusalWhere(refused: Readonly<Record<number, string>>, at: ListenAddress): Promise<string> {
  return (await rejectedRefusal(bindWhere(refused, at), 'unavailable')).detail
}

test('ports that are in use or reserved give way to the next one', async () => {
  assert.equal(
    await bindWhere({ 5062: 'EACCES', 5063: 'EADDRINUSE' }, { ...AT, fallback: 5 }),
    [5062, 5063, 5064],
  )
})

test('a whole range that is reserved gives way to any free port', async () => {
  const reserved = { 5062: 'EACCES', 5063: 'EACCES', 5064: 'EACCES' }
  assert.equal(await bindWhere(reserved, { ...AT, fallback: 2 }), [5062, 5063, 5064, 0])
  assert.equal(await bindWhere({ 65535: 'EACCES' }, { ...AT, port: 65535, fallback: 2 }), [65535, 0])
})

test('where no other port is allowed, the error names the port and the setting', async () => {
  assert.is(
    await refusalWhere({ 5062: 'EACCES' }, AT),
    'Port 5062 on 127.0.0.1 is reserved by the system or may not be used by this user. Set ROOM_PORT to another port above 1023.',
  )
  assert.match(await refusalWhere({ 5062: 'EADDRINUSE', 5063: 'EPERM' }, { ...AT, fallback: 3 }), /\(EPERM\)/)
})

test('an address that does not exist is not tried on other ports', async () => {
  assert.match(await refusalWhere({ 5062: 'EADDRNOTAVAIL' }, { ...AT, fallback: 3 }), /has no address/)
})

test.run()
