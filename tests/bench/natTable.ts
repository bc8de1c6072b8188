import { loadavg } from 'node:os'
import { type NatCase, natCases, withNatCase } from '#support/namespaces/natCases'
import { hasSlowLine, WHY_NO_SLOW_LINE } from '#support/namespaces/natLine'
import type { Joined } from '#support/namespaces/natRoom'
import { hasNat, WHY_NO_NAT } from '#support/namespaces/natWorld'
import { median } from './measure'

const ROUNDS = 10
const LIMIT_MS = 20_000

/** How long a guest waits until it is in the room, and until the two have a way of their own, behind real routers. */
export async function benchNatTable(): Promise<void> {
  if (!hasNat || !hasSlowLine) return console.log(`\nnat: skipped, ${hasNat ? WHY_NO_SLOW_LINE : WHY_NO_NAT}`)
  console.log(`\nfrom the order to join, medians of ${ROUNDS} (least–most), 40 ms from player to player`)
  // `BENCH_CASE=IPv6`: only the rows whose name contains this.
  const wanted = process.env.BENCH_CASE ?? ''
  for (const one of natCases.filter(({ name }) => name.includes(wanted))) {
    const tries = await withNatCase(one, ({ room }) => room.join(one.path, ROUNDS, LIMIT_MS)).catch(
      (error: unknown) => void console.log(`  ${one.name}: ${error}`),
    )
    if (tries) show(one, tries)
  }
}

function show({ name, path, goals }: NatCase, tries: readonly Joined[]): void {
  const transports = [...new Set(tries.map(({ carrier }) => carrier))].join(', ')
  console.log(
    `  ${name.padEnd(42)}in the room ${figures(
      tries.map(({ okMs }) => okMs),
      goals.ok,
    )}   ${path} ${figures(
      tries.map(({ pathMs }) => pathMs),
      goals.path,
    )}   by ${transports}   load ${loadavg()[0]?.toFixed(1)}`,
  )
  // The slowest tells most.
  if (process.env.BENCH_DETAILS === undefined) return
  const slowest = [...tries].sort((a, b) => (b.pathMs ?? LIMIT_MS) - (a.pathMs ?? LIMIT_MS))[0]
  for (const entry of slowest?.timeline ?? []) console.log(`      ${entry}`)
}

/** What did not come about counts as the limit. */
function figures(times: readonly (number | undefined)[], goal: number): string {
  const all = times.map((ms) => ms ?? LIMIT_MS)
  const missing = times.filter((ms) => ms === undefined).length
  return (
    `${median(all).toFixed(0).padStart(5)} ms (${Math.min(...all)}–${Math.max(...all)}) goal ≤ ${goal}` +
    (missing > 0 ? `, ${missing} never` : '')
  )
}
