import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hasNamespaces, WHY_NO_NAMESPACES } from '#support/namespaces/namespaces'
import { observe, projectRoot } from '#support/process/serverProcess'
import { folderOfEachTest } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'

const suiteOf = suite('room where no name server answers', { timeoutMs: 90_000 })
const test = suiteOf.skipUnless(Boolean(hasNamespaces), WHY_NO_NAMESPACES)

/** A cable into a machine that takes every packet and answers none. */
const SETUP = `set -e
ip link set lo up
ip link add here type veth peer name there
ip link set there up
ip addr add 198.18.0.2/24 dev here
ip link set here up
ip neigh add 198.18.0.1 lladdr 02:00:00:00:00:01 dev here
ip route add default via 198.18.0.1
mount --bind "$1" /etc/resolv.conf
shift
exec "$@"`

const folder = folderOfEachTest(suiteOf, 'room')

async function start(...args: readonly string[]) {
  const resolver = join(folder(), 'resolv.conf')
  await writeFile(resolver, 'nameserver 198.18.0.53\n')
  const room = [process.execPath, join(projectRoot, 'dist/local-runner/room.mjs'), ...args]
  const child = spawn('unshare', ['-nm', 'sh', '-c', SETUP, 'sh', resolver, ...room], {
    env: { PATH: process.env.PATH, DATA_DIR: folder(), ROOM_PORT: '0' },
  })
  return { child, ...observe(child) }
}

test('SIGTERM ends a host in less than two seconds, without a line of a log', async () => {
  const host = await start('host', '--no-wait')
  await host.said(/no shared node answers yet/, 60_000)
  const startedAt = performance.now()
  await host.end('SIGTERM')
  assert.ok([143, 'SIGTERM'].includes(await host.ended))
  assert.ok(performance.now() - startedAt < 2000, `${performance.now() - startedAt} ms`)
  assert.is(host.stderr(), '')
})

suiteOf.run()
