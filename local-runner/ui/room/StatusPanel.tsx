import { useEffect, useState } from 'preact/hooks'
import { isAway, leave, progress, state, status } from './service/store'
import { type Step, stepsOf } from './state/steps'
import { noticeOf, sentenceOf } from './words/sentence'
import { statusText } from './words/texts'

/** Shows the current state in one sentence, its progress, and the means to end it. */
export function StatusPanel() {
  // What was known before the program stopped may no longer be true.
  const now = isAway.value ? undefined : status.value
  const notice = now && noticeOf(now)
  return (
    <section class={`card status ${now ? moodOf(now.state) : 'idle'}`} aria-label={statusText('steps')}>
      <div class="status-line">
        <span class="lamp" aria-hidden="true" />
        <div role="status">
          <h2>{now ? sentenceOf(now) : statusText(isAway.value ? 'away' : 'sentenceLoading')}</h2>
        </div>
        {now?.role && (
          <button type="button" onClick={leave}>
            {statusText(stopWordOf(now.state, now.role))}
          </button>
        )}
      </div>
      {notice !== undefined && <p class="notice">{notice}</p>}
      {now && state.value?.difficulty && <p class="quiet">{statusText(state.value.difficulty)}</p>}
      {now && <StepBar />}
    </section>
  )
}

function moodOf(name: string): string {
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
  if (progress.value === undefined) return null
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
