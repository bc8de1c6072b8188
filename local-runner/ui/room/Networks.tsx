import { useState } from 'preact/hooks'
import { checkNodes, health, status } from './service/store'
import { say, statusText } from './words/texts'

type Row = {
  readonly name: string
  readonly state: 'connecting' | 'connected' | 'failed' | 'ok' | 'unknown'
  readonly latencyMs: number | null
  readonly problem: string | null
}

/** The shared nodes: of the room while there is one, else as the last check has found them. */
export function Networks() {
  const [isChecking, setChecking] = useState(false)
  const network = status.value?.network
  const check = () => {
    setChecking(true)
    void checkNodes()
      .catch(() => {})
      .finally(() => setChecking(false))
  }
  const rows = network ? network.nodes.map(({ url, ...node }) => ({ ...node, name: url })) : checkedRows()
  return (
    <details class="card" onToggle={(event) => event.currentTarget.open && !network && check()}>
      <summary>
        <h2>{say('network')}</h2>
      </summary>
      {network && (
        <p class="quiet">{say(network.privacy === 'private' ? 'networkPrivate' : 'networkOpen')}</p>
      )}
      {network?.friendRelay && <p class="quiet">{statusText(network.friendRelay.state)}</p>}
      {rows?.length === 0 && <p class="empty">{say('networkNone')}</p>}
      <ul class="nodes">
        {rows?.map((row) => (
          <NodeRow key={row.name} {...row} />
        ))}
      </ul>
      {!network && (
        <button type="button" disabled={isChecking} onClick={check}>
          {say(isChecking ? 'networkChecking' : 'networkCheck')}
        </button>
      )}
    </details>
  )
}

function checkedRows(): readonly Row[] | undefined {
  return health.value?.map(({ hostname, port, protocol, status: found, latencyMs, problem }) => ({
    name: `${protocol}://${hostname}:${port}`,
    state: found,
    latencyMs,
    problem,
  }))
}

function NodeRow({ name, state, latencyMs, problem }: Row) {
  return (
    <li class={state}>
      <span class="lamp" aria-hidden="true" />
      <span class="who">
        <strong translate={false}>{name}</strong>
        {problem !== null && <small>{problem}</small>}
      </span>
      <span class="quiet">
        {say(state)}
        {latencyMs !== null && ` · ${say('ms', Math.round(latencyMs))}`}
      </span>
    </li>
  )
}
