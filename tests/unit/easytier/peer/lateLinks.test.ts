import * as assert from 'uvu/assert'
import { firstOf } from '#core/easytier/dialing/dialNode'
import { createConnectionHub } from '#core/easytier/peer/connectionHub'
import type { Connection } from '#core/easytier/transport/transports'
import { createFakeClock } from '#support/network/fakeClock'
import { suite } from '#support/runner/suite'

const test = suite('links that come in the moment of the end')

test('the hub closes what is attached after it has closed, and tells the node nothing of it', async () => {
  const added: number[] = []
  const hub = createConnectionHub()
  hub.deliverTo({
    addConnection: (id) => void added.push(id),
    removeConnection() {},
    receive() {},
  })
  const [early, late] = [newLink(), newLink()]
  hub.attach(early.link, { isDialler: true })
  await hub.closeAll()
  hub.attach(late.link, { isDialler: true })
  await Promise.all([early.link.closed, late.link.closed])
  assert.is(added.length, 1)
})

for (let turns = 0; turns < 10; turns += 1) {
  test(`a dial that succeeds ${turns} turns before the signal aborts is taken by somebody, or closed`, async () => {
    const clock = createFakeClock()
    const ending = new AbortController()
    const { link, isClosed } = newLink()
    let succeed = () => {}
    const dial = () =>
      new Promise<Connection>((resolve) => {
        succeed = () => resolve(link)
      })
    const dialled = firstOf(['anywhere'], clock, ending.signal, dial).catch(() => undefined)
    await clock.advance(10)
    succeed()
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()
    ending.abort(new Error('the end'))
    const taken = await dialled
    await clock.advance(0)
    assert.is(isClosed(), taken === undefined)
    assert.is(clock.timers, 0)
  })
}

test.run()

function newLink() {
  let close = () => {}
  let isClosed = false
  const closed = new Promise<void>((resolve) => {
    close = () => {
      isClosed = true
      resolve()
    }
  })
  const link: Connection = {
    transport: 'tcp',
    remote: { address: '9.9.9.9', port: 1 },
    localPort: 1,
    closed,
    send() {},
    onPacket() {},
    close,
  }
  return { link, isClosed: () => isClosed }
}
