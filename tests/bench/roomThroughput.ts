import { loadavg } from 'node:os'
import { generateRoomCode } from '@lantern-room/protocol'
import { AS_FAST_AS_IT_CAN, startRelayProcess } from '#support/network/relayProcess'
import { freePort } from '#support/process/serverProcess'
import { median } from './measure'
import { type Outcome, transfer } from './transfer'

/** At first V8 compiles what it finds busy, about 0.2 s of CPU time in each process. */
const SECONDS = 3
const ROUNDS = 2
const HERE = { host: { inside: [] }, guest: { inside: [] } }

/** One stream from host to guest, each a process of its own, on loopback; beside plain TCP between two processes. */
export async function benchRoomThroughput(): Promise<void> {
  console.log(
    `\none stream from host to guest, ${SECONDS} s, loopback; small messages to and fro before it and beside it`,
  )
  // What one room may relay is a setting; here the machine is measured.
  const relay = await startRelayProcess(undefined, AS_FAST_AS_IT_CAN)
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const plain = await transfer(HERE, 'plain', `127.0.0.1:${await freePort()}`, SECONDS)
      show('plain TCP', plain, plain)
      for (const [title, way] of [
        ['direct by tcp', 'tcp'],
        ['direct by udp', 'udp'],
        ['relayed by tcp', 'tcpRelay'],
      ] as const)
        show(title, await transfer(HERE, way, `${generateRoomCode().text},${relay.url}`, SECONDS), plain)
    }
  } finally {
    await relay.close()
  }
}

function show(title: string, outcome: Outcome, plain: Outcome): void {
  const { megabytesPerSecond, cpuPerGigabyte, memory } = outcome
  const idle = median(outcome.idle)
  const added = Math.max(0, idle - median(plain.idle))
  console.log(
    `  ${title.padEnd(15)}${megabytesPerSecond.toFixed(0).padStart(5)} MB/s (${(megabytesPerSecond / plain.megabytesPerSecond).toFixed(2)} of plain)` +
      `  CPU s/GB: ${cpuPerGigabyte.toFixed(1).padStart(5)}  at most ${memory.toFixed(0)} MB` +
      `  small: ${idle.toFixed(2)} ms (+${added.toFixed(2)}), beside it ${median(outcome.busy).toFixed(1)} ms` +
      `  load ${loadavg()[0]?.toFixed(1)}`,
  )
}
