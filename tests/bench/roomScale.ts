import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { generateRoomCode } from '@lantern-room/protocol'
import { startRelayProcess } from '#support/network/relayProcess'
import { type ServerProcess, startWorker } from '#support/process/serverProcess'
import { cpuSecondsOf, residentMegabytes } from './measure'

const GUEST_PROCESSES = 2
const GUESTS = 10
const SECONDS = 10
const ROOMS = 1000
const IDLE_SECONDS = 20

/** One host with many guests, and one shared node with many rooms. */
export async function benchRoomScale(): Promise<void> {
  await manyGuests()
  await manyRooms()
}

/** Each guest sends 60 packets of 200 bytes a second, as voice mods do; the host sends each back. */
async function manyGuests(): Promise<void> {
  const relay = await startRelayProcess()
  const code = generateRoomCode().text
  const host = start(['host', code, relay.url])
  const running = [host]
  try {
    await host.said(/^ready$/m)
    for (let count = 0; count < GUEST_PROCESSES; count += 1)
      running.push(start(['guests', code, relay.url, String(GUESTS), String(SECONDS)]))
    const guests = running.slice(1)
    await Promise.all(guests.map((one) => one.said(/^ready$/m, 120_000)))
    await sleep(5000)
    const cpuBefore = cpuSecondsOf(host.pid)
    const told = await Promise.all(
      guests.map(async (one) => JSON.parse((await one.said(/^(\{"event":"done".*)$/m, 120_000))[1] ?? '')),
    )
    const cpu = ((cpuSecondsOf(host.pid) - cpuBefore) / SECONDS) * 100
    const tookMs: number[] = told.flatMap((one) => one.tookMs).sort((a, b) => a - b)
    const sent = told.reduce((sum, one) => sum + one.sent, 0)
    const quantile = (part: number) => (tookMs[Math.floor(tookMs.length * part)] ?? Number.NaN).toFixed(2)
    console.log(
      `\n${GUEST_PROCESSES * GUESTS} guests at one host, each 60 packets of 200 bytes a second there and back, loopback` +
        `\n  round trip p50 ${quantile(0.5)} ms, p99 ${quantile(0.99)} ms, longest ${quantile(0.999999)} ms` +
        `  lost ${sent - tookMs.length} of ${sent}  host ${cpu.toFixed(0)} % of a core, ${residentMegabytes(host.pid).toFixed(0)} MB  load ${loadavg()[0]?.toFixed(1)}`,
    )
  } finally {
    await end(running)
    await relay.close()
  }
}

/** Two members in each room who say nothing. */
async function manyRooms(): Promise<void> {
  const flags = ['--links-per-address', String(ROOMS * 3), '--max-rooms', String(ROOMS)]
  const relay = await startRelayProcess(undefined, flags)
  const empty = Math.round(residentMegabytes(relay.pid()))
  const idlers = start(['idlers', String(ROOMS), relay.url.replace(/^.*:/, '')])
  try {
    await idlers.said(/^ready$/m, 300_000)
    // What belongs to the beginning is over by then.
    await sleep(5000)
    idlers.signal('SIGUSR2')
    const before = JSON.parse((await idlers.said(/^(\{"event":"counted".*)$/m))[1] ?? '')
    const cpuBefore = cpuSecondsOf(relay.pid())
    await sleep(IDLE_SECONDS * 1000)
    idlers.signal('SIGUSR2')
    const after = JSON.parse((await idlers.said(/"counted".*\n(\{"event":"counted".*)$/m))[1] ?? '')
    const cpu = ((cpuSecondsOf(relay.pid()) - cpuBefore) / IDLE_SECONDS) * 1000
    const full = Math.round(residentMegabytes(relay.pid()))
    const perSecond = (name: 'sent' | 'received') =>
      ((after[name] - before[name]) / IDLE_SECONDS / ROOMS).toFixed(0)
    console.log(
      `\n${ROOMS} rooms of two silent members at one shared node, tcp` +
        `\n  ${empty} MB empty, ${full} MB full: ${(((full - empty) * 1024) / ROOMS).toFixed(0)} KB a room` +
        `  ${cpu.toFixed(0)} ms of CPU a second, ${((cpu * 1000) / ROOMS).toFixed(0)} µs a room` +
        `  ${perSecond('sent')} bytes a second to it from a room, ${perSecond('received')} back  load ${loadavg()[0]?.toFixed(1)}`,
    )
  } finally {
    await end([idlers])
    await relay.close()
  }
}

function start(args: readonly string[]): ServerProcess {
  return startWorker('bench/scaleWorker', args)
}

async function end(running: readonly ServerProcess[]): Promise<void> {
  for (const one of running) await one.end('SIGKILL')
}
