import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../shared/Button'
import { Named } from '../shared/Named'
import { Notice, Refused } from './parts/Notice'
import { useEnding } from './parts/useEnding'
import { isAway, isOtherVersion, leave, progress, state, status } from './service/store'
import { isEnded, type RoomStatus } from './state/records'
import { type Step, stepsOf } from './state/steps'
import { noticeOf, sentenceOf, statusText } from './words/texts'

/** A world's, in the service's words. */
const QUOTED_NAME = /“(.+)”/

/** Shows the current state in one sentence, its progress, and the means to end it. */
export function StatusPanel() {
  // What was known before the program stopped may no longer be true.
  const now = isAway.value ? undefined : status.value
  const notice = now && noticeOf(now)
  const heading = useFocusAfter(now && `${now.role} ${now.state === 'Error'}`)
  return (
    <section class={`card status ${now ? moodOf(now) : 'idle'}`} aria-label={statusText('steps')}>
      <div class="status-line">
        <span class="lamp" aria-hidden="true" />
        <div role="status">
          <h2 ref={heading} tabIndex={-1}>
            {now ? sentenceOf(now) : statusText(isAway.value ? 'away' : 'sentenceLoading')}
          </h2>
        </div>
        {now?.role && now.state !== 'Error' && <Stop name={now.state} role={now.role} />}
      </div>
      <Refused at="status" />
      {isOtherVersion.value && (
        <Notice
          role="alert"
          text={statusText('otherVersion')}
          actions={[[statusText('reload'), () => location.reload()]]}
        />
      )}
      {now && isOnLanOnly(now) && <p class="notice">{statusText('lanOnly')}</p>}
      {notice !== undefined && (
        <p class="notice">
          <Named text={notice} name={QUOTED_NAME.exec(notice)?.[1]} />
        </p>
      )}
      {now && state.value?.difficulty && <p class="quiet">{statusText(state.value.difficulty)}</p>}
      {now && <StepBar />}
    </section>
  )
}

/** Leads to an element each time that a role has begun, ended or failed; not for what the page has found at its start. */
function useFocusAfter(phase: string | undefined) {
  const element = useRef<HTMLHeadingElement>(null)
  const last = useRef(phase)
  useEffect(() => {
    if (phase === undefined || phase === last.current) return
    if (last.current !== undefined) element.current?.focus()
    last.current = phase
  }, [phase])
  return element
}

function Stop({ name, role }: { readonly name: string; readonly role: 'host' | 'guest' }) {
  const { isAsking, press, question } = useEnding(statusText('closeForAll'), () => leave('status'))
  return (
    <>
      <Button label={statusText(stopWordOf(name, role))} disabled={isAsking} act={press} />
      {question}
    </>
  )
}

/** An open room that no shared node carries is open to the local network only. */
function isOnLanOnly({ state: name, network }: RoomStatus): boolean {
  const nodes = network?.nodes ?? []
  return name === 'Host_Running' && nodes.length > 0 && nodes.every((node) => node.state === 'failed')
}

function moodOf(now: RoomStatus): string {
  const { state: name } = now
  if (isEnded(now)) return 'idle'
  if (name === 'Error') return 'bad'
  if (name.endsWith('_Running')) return 'good'
  return name === 'Idle' || name === 'Stopping' ? 'idle' : 'busy'
}

function stopWordOf(name: string, role: 'host' | 'guest') {
  if (!name.endsWith('_Running') && name !== 'Guest_Reconnecting') return 'cancel'
  return role === 'host' ? 'closeRoom' : 'leaveRoom'
}

function StepBar() {
  const now = useSeconds(progress.value !== undefined && !isOver())
  if (progress.value === undefined || (status.value && isEnded(status.value))) return null
  return (
    <ol class="steps">
      {stepsOf(progress.value, now).map((step) => (
        <li key={step.name} class={step.state} aria-current={step.state === 'current' ? 'step' : undefined}>
          <span class="step-name">{statusText(step.name)}</span>
          <span class="step-time">{timeOf(step)}</span>
          <span class="unseen">{statusText(WORDS[step.state])}</span>
        </li>
      ))}
    </ol>
  )
}

const WORDS = { done: 'stepDone', current: 'stepCurrent', failed: 'stepFailed', ahead: 'stepAhead' } as const

function timeOf({ tookMs }: Step): string {
  return tookMs === undefined ? '' : statusText('seconds', (tookMs / 1000).toFixed(1))
}

function isOver(): boolean {
  const name = status.value?.state ?? ''
  return name === 'Error' || name.endsWith('_Running')
}

/** The time now, which moves on while something is in progress. */
function useSeconds(isRunning: boolean): number {
  const [now, setNow] = useState(performance.now())
  useEffect(() => {
    if (!isRunning) return
    const timer = setInterval(() => setNow(performance.now()), 200)
    return () => clearInterval(timer)
  }, [isRunning])
  return now
}
