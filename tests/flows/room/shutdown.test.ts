import { connect } from 'node:net'
import { closingOfEachTest } from '#support/process/closing'
import { startProcessTarget } from '#support/room/roomTargets'
import { assert, suite } from '#support/runner/suite'
import { got, postJson, told } from '../../contract/room/asking'
import { listen } from '../../contract/room/listener'

const test = suite('the end of the room service', { timeoutMs: 40_000 })
const { add } = closingOfEachTest(test)

for (const [method, path] of [
  ['POST', '/shutdown'],
  ['GET', '/panic?peaceful=true'],
] as const)
  test(`${method} ${path} answers, closes the room and its listeners, and ends the program with 0`, async () => {
    const spawnedAt = performance.now()
    const target = await startProcessTarget({ SCAFFOLDING_PORT: '27448' })
    add(target.stop)
    // Three seconds, and more on a machine that is too busy to start a program at once.
    const limit = 3000 + 2 * (performance.now() - spawnedAt)
    await postJson(target, '/room/host/start', { waitForGame: false })
    const listener = await listen(target.url)
    const { overlayPort } = await got(target.send('/meta'))
    const startedAt = performance.now()
    await told(target.send(path, { method }), /^Shutting down\.$/)
    assert.is((await listener.closed)[0], 1001)
    assert.is(await target.server.ended, 0)
    const took = performance.now() - startedAt
    assert.ok(took < limit, `${took} of ${limit} ms`)
    assert.is(await isOpen(Number(overlayPort)), false)
    assert.is(await isOpen(Number(new URL(target.url).port)), false)
  })

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

test.run()
