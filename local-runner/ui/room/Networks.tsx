import { useId, useState } from 'preact/hooks'
import { Check } from './parts/Check'
import { Refused } from './parts/Notice'
import { checkNodes, nodeSettings, setNodes } from './service/nodes'
import { choices, choose, refusal, status } from './service/store'
import { problemOfNode } from './words/sentence'
import { say, statusText } from './words/texts'

type Row = {
  readonly url: string
  readonly state: 'connecting' | 'connected' | 'failed' | 'ok' | 'unknown'
  readonly latencyMs: number | null
  readonly problem: string | null
}

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
              <button type="button" disabled={isChecking} onClick={check}>
                {say(isChecking ? 'networkChecking' : 'networkCheck')}
              </button>
              {nodeSettings.value?.nodesFrom === 'client' && (
                <button type="button" onClick={() => void setNodes(null)}>
                  {say('nodesReset')}
                </button>
              )}
            </p>
            <Refused at="nodes" />
            <Check
              text={say('carry')}
              hint={say('carryHint')}
              isOn={choices.value.friendRelay ?? nodeSettings.value?.friendRelay ?? false}
              onChange={(isOn) => choose('friendRelay', isOn)}
            />
            <Check
              text={say('direct')}
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
  const remove = (gone: string) => void setNodes(rows.map(({ url }) => url).filter((url) => url !== gone))
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
            <button type="button" aria-label={say('nodeRemoveThis', url)} onClick={() => remove(url)}>
              {say('nodeRemove')}
            </button>
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
        <div class="field grow">
          <label for={id}>{say('nodeAddress')}</label>
          <input
            id={id}
            maxLength={300}
            spellcheck={false}
            placeholder="node.example.com:11010"
            value={text}
            aria-describedby={`${id}-hint`}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </div>
        <button type="submit">{say('nodeAdd')}</button>
      </div>
      <p class="hint" id={`${id}-hint`}>
        {say('nodeHint')}
      </p>
    </form>
  )
}
