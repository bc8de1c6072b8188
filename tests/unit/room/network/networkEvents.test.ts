import { createEmitter } from '#core/async/emitter'
import { createNetworkEvents } from '#core/room/network/networkEvents'
import { assert, suite } from '#support/runner/suite'

const test = suite('what a connection to a room reports')

function open(memberRelay: object | undefined) {
  const changes = createEmitter<void>()
  const measured = createEmitter<void>()
  const network = { memberRelay: () => memberRelay }
  const links = { list: () => [], onMeasured: measured.subscribe }
  const events = createNetworkEvents({ member: { network } as never, changes, links })
  const kinds: string[] = []
  events.subscribe(({ kind }) => kinds.push(kind))
  return { changes, measured, kinds }
}

test('a change concerns members and status', () => {
  const { changes, kinds } = open(undefined)
  changes.emit()
  assert.equal(kinds, ['members', 'status'])
})

test('a measurement concerns links, and the status of a member that carries for others', () => {
  const alone = open(undefined)
  alone.measured.emit()
  assert.equal(alone.kinds, ['links'])
  const carrying = open({})
  carrying.measured.emit()
  assert.equal(carrying.kinds, ['links', 'status'])
})

test.run()
