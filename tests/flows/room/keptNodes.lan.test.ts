import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { listening, runRoomCommand, testCommands } from '#support/room/roomCommand'
import { roomAt } from '#support/room/roomProcess'
import { assert, suite } from '#support/runner/suite'

const test = suite('shared nodes that are set while the service runs', { timeoutMs: 300_000 })

const NODE = 'tcp://127.0.0.1:9'
const { start, makeFolder } = testCommands(test)

async function serve(settings: Readonly<Record<string, string>>) {
  const running = start(['serve'], settings)
  const { url } = await listening(running)
  const { ask } = roomAt(url, running)
  const nodes = async () => {
    const { nodes, nodesFrom } = (await ask('/config')).body
    return [nodes, nodesFrom]
  }
  return { ask, nodes, kill: running.stop }
}

test('they hold after a crash and for the doctor, until they are taken back or ROOM_NODES says something else', async () => {
  const DATA_DIR = await makeFolder()
  const first = await serve({ DATA_DIR })
  assert.equal(await first.nodes(), [[], 'environment'])
  await first.ask('/config/nodes', { nodes: [NODE] })
  await first.kill('SIGKILL')
  if (process.platform !== 'win32') {
    assert.is((await stat(join(DATA_DIR, 'room', 'nodes.json'))).mode & 0o777, 0o600)
  }

  const second = await serve({ DATA_DIR })
  assert.equal(await second.nodes(), [[NODE], 'client'])
  const doctor = await runRoomCommand(['doctor', '--json'], { DATA_DIR })
  assert.match(doctor.stdout, /"subject":"[^"]*127\.0\.0\.1:9"/)
  await second.kill('SIGTERM')

  const other = await serve({ DATA_DIR, ROOM_NODES: 'udp://127.0.0.1:10' })
  assert.equal(await other.nodes(), [['udp://127.0.0.1:10'], 'environment'])
  await other.kill('SIGTERM')

  const third = await serve({ DATA_DIR })
  assert.equal(await third.nodes(), [[NODE], 'client'])
  await third.ask('/config/nodes', { nodes: null })
  assert.equal(await third.nodes(), [[], 'environment'])
  await third.kill('SIGKILL')
  assert.equal(await (await serve({ DATA_DIR })).nodes(), [[], 'environment'])
})

test.run()
