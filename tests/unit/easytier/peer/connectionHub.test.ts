import { createDeferred } from '#core/async/deferred'
import { createConnectionHub } from '#core/easytier/peer/connectionHub'
import type { Connection } from '#core/easytier/transport/transports'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: the hub of connections')

test('closes what is attached after its end, and the peer never learns of it', async () => {
  const added: number[] = []
  const hub = createConnectionHub()
  hub.deliverTo({ addConnection: (id) => void added.push(id), removeConnection() {}, receive() {} })
  const [early, late] = [newConnection(), newConnection()]
  hub.attach(early, { isDialler: true })
  await hub.closeAll()
  hub.attach(late, { isDialler: true })
  await Promise.all([early.closed, late.closed])
  assert.is(added.length, 1)
})

function newConnection(): Connection {
  const { promise: closed, resolve: close } = createDeferred()
  const remote = { address: '9.9.9.9', port: 1 }
  return { transport: 'tcp', remote, localPort: 1, closed, send() {}, onPacket() {}, close }
}

test.run()
