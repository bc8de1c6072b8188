import type { NodeHealth, SettingsRecord } from '@lantern-room/room/client'
import { signal } from '@preact/signals'
import { useId, useState } from 'preact/hooks'
import { askJson, postJson } from '../../shared/ask'
import { Button } from '../../shared/Button'
import { Check, Field } from '../../shared/Field'
import { Refused } from '../parts/Notice'
import { act, choices, choose, refusal, status } from '../service/store'
import type { RoomNode } from '../state/records'
import { problemOfNode, say, statusText } from '../words/texts'

type NodeSettings = SettingsRecord & { readonly health: readonly NodeHealth[] }

/** The settings for the rooms that are opened or joined from now on, with the shared nodes as the last check has found them. */
const nodeSettings = signal<NodeSettings | undefined>(undefined)

/** The service asks each node at most once a minute. */
const checkNodes = () => act('nodes', refreshNodes)

async function refreshNodes(): Promise<void> {
  const settings = await askJson<SettingsRecord>('/config')
  const { servers: health } = await askJson<{ servers: NodeHealth[] }>('/network/servers')
  nodeSettings.value = { ...settings, health }
}

/** @param nodes null: those that the program itself has */
const setNodes = (nodes: readonly string[] | null) =>
  act('nodes', () => postJson('/config/nodes', { nodes }).then(refreshNodes))

type Row = Omit<RoomNode, 'state'> & { readonly state: RoomNode['state'] | NodeHealth['status'] }

/** The shared nodes of the room while there is one, else those of the next one, to test and to change. */
export function Networks() {
  const [isChecking, setChecking] = useState(false)
  const network = status.value?.network
  const check = () => {
    setChecking(true)
    void checkNodes().finally(() => setChecking(false))
  }
  return (
    <details class="card" onToggle={(event) => event.currentTarget.open && !network && check()}>
      <summary>
        <h2>{say('network')}</h2>
      </summary>
      <div class="stack">
        {network && (
          <p class="quiet">{say(network.privacy === 'private' ? 'networkPrivate' : 'networkOpen')}</p>
        )}
        {network?.friendRelay && <p class="quiet">{statusText(network.friendRelay.state)}</p>}
        <NodeList rows={network ? network.nodes : settingsRows()} canChange={!network} />
        {!network && (
          <>
            <AddNode />
            <p class="row">
              <Button
                label={say(isChecking ? 'networkChecking' : 'networkCheck')}
                disabled={isChecking}
                act={check}
              />
              {nodeSettings.value?.nodesFrom === 'client' && (
                <Button label={say('nodesReset')} act={() => setNodes(null)} />
              )}
            </p>
            <Refused at="nodes" />
            <Check
              label={say('carry')}
              hint={say('carryHint')}
              isOn={choices.value.friendRelay ?? nodeSettings.value?.friendRelay ?? false}
              onChange={(isOn) => choose('friendRelay', isOn)}
            />
            <Check
              label={say('direct')}
              hint={say('directHint')}
              isOn={choices.value.direct ?? nodeSettings.value?.direct ?? true}
              onChange={(isOn) => choose('direct', isOn)}
            />
          </>
        )}
      </div>
    </details>
  )
}

function settingsRows(): readonly Row[] {
  const { nodes = [], health = [] } = nodeSettings.value ?? {}
  return health.map(({ status: state, ...found }, at) => ({ ...found, state, url: nodes[at] ?? '' }))
}

function NodeList({ rows, canChange }: { readonly rows: readonly Row[]; readonly canChange: boolean }) {
  const remove = (gone: string) => setNodes(rows.map(({ url }) => url).filter((url) => url !== gone))
  if (rows.length === 0) return <p class="empty">{say('networkNone')}</p>
  return (
    <ul class="nodes">
      {rows.map(({ url, state, latencyMs, problem }) => (
        <li key={url} class={state}>
          <span class="lamp" aria-hidden="true" />
          <span class="who">
            <strong translate={false}>{url}</strong>
            {problem !== null && <small>{problemOfNode(problem)}</small>}
          </span>
          <span class="quiet">
            {say(state)}
            {latencyMs !== null && ` · ${say('ms', Math.round(latencyMs))}`}
          </span>
          {canChange && (
            <Button label={say('nodeRemove')} name={say('nodeRemoveThis', url)} act={() => remove(url)} />
          )}
        </li>
      ))}
    </ul>
  )
}

function AddNode() {
  const id = useId()
  const [text, setText] = useState('')
  const word = text.trim()
  const submit = (event: Event) => {
    event.preventDefault()
    const nodes = nodeSettings.value?.nodes ?? []
    void setNodes([...nodes, word.includes('://') ? word : `tcp://${word}`]).then(() => {
      // What was typed meanwhile stays.
      if (refusal.value === undefined) setText((now) => (now === text ? '' : now))
    })
  }
  return (
    <form onSubmit={submit}>
      <div class="row">
        <Field
          label={say('nodeAddress')}
          isWide
          maxLength={300}
          spellcheck={false}
          placeholder="node.example.com:11010"
          value={text}
          aria-describedby={id}
          onText={setText}
        />
        <button type="submit">{say('nodeAdd')}</button>
      </div>
      <p class="hint" id={id}>
        {say('nodeHint')}
      </p>
    </form>
  )
}
