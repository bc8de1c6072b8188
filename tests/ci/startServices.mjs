// Starts both services as a user does, by `npm start`, on free ports, asks each, and stops them.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ASKED = { 'motion photo API': '/health', 'room service': '/meta' }
const LIMIT_MS = 60_000

const data = mkdtempSync(join(tmpdir(), 'data-'))
const child = spawn('npm', ['start'], {
  // A group of its own: npm ends before the services do, and passes on no signal to them when it is stopped itself.
  detached: true,
  stdio: ['ignore', 'pipe', 'inherit'],
  env: {
    ...process.env,
    MEDIA_PORT: '0',
    ROOM_PORT: '0',
    ROOM_LAN_INTERFACES: '127.0.0.1',
    ROOM_NODES: '',
    DATA_DIR: data,
    DRAIN_SECONDS: '0',
  },
})
const closed = new Promise((resolve) => child.once('close', resolve))
const limit = setTimeout(stop, LIMIT_MS)
let output = ''
let answers = 0
for await (const chunk of child.stdout.setEncoding('utf8')) {
  process.stdout.write(chunk)
  const before = addressesIn(output)
  output += chunk
  if (before.length < 2 && addressesIn(output).length === 2) await askAll()
}
await closed
clearTimeout(limit)
rmSync(data, { recursive: true, force: true })
process.exitCode = answers === 2 ? 0 : 1

async function askAll() {
  for (const [service, address] of addressesIn(output)) {
    const url = `${address}${ASKED[service]}`
    const status = await fetch(url).then((response) => response.status, String)
    console.log(`${url}: ${status}`)
    if (status === 200) answers += 1
  }
  stop()
}

/** `['room service', 'http://127.0.0.1:8001']` */
function addressesIn(text) {
  return [...text.matchAll(/^(.+) listening on (http\S+)\n/gm)].map(([, service, address]) => [
    service,
    address,
  ])
}

function stop() {
  process.kill(-child.pid, 'SIGTERM')
}
