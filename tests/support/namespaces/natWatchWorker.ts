import { setTimeout as sleep } from 'node:timers/promises'

// A guest's launcher, on the guest's machine: `natWatchWorker.mjs <url> <room> <rounds> <path> <limit ms>`. In each round
// it joins, waits until the world answers and the path to the host is `direct`, `relay` or `friend` as wanted, or the time is
// over, and prints as a line of JSON when that was. After all rounds but the last it stops and waits a moment.

const [url = '', room = '', rounds = '1', wanted = 'direct', limit = '20000'] = process.argv.slice(2)

type Status = {
  readonly state: string
  readonly error: string | null
  readonly network: {
    readonly path: string | null
    readonly relayedBy: string | null
    readonly carrier: string | null
  } | null
}

for (let round = 1; round <= Number(rounds); round += 1) {
  const startedAt = Date.now()
  const seen: { okMs?: number; pathMs?: number; status?: Status; states: [number, string][] } = { states: [] }
  await fetch(`${url}/state/guesting?${new URLSearchParams({ room, player: 'Steve' })}`)
  while (Date.now() - startedAt < Number(limit)) {
    const status = (await (await fetch(`${url}/room/status`)).json()) as Status
    const ms = Date.now() - startedAt
    if (seen.status?.state !== status.state) seen.states.push([ms, status.state])
    seen.status = status
    if (status.state === 'Guest_Running') seen.okMs ??= ms
    if ([status.network?.path, status.network?.relayedBy].includes(wanted)) seen.pathMs ??= ms
    if (status.state === 'Error' || (seen.okMs !== undefined && seen.pathMs !== undefined)) break
    await sleep(20)
  }
  console.log(JSON.stringify({ round, startedAt, ...seen }))
  if (round === Number(rounds)) break
  await fetch(`${url}/room/stop`, { method: 'POST' })
  await sleep(700)
}
