import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../shared/Button'
import { Named } from '../shared/Named'
import { Failure } from './Failure'
import { Notice, Refused } from './parts/Notice'
import { LitLantern } from './parts/Pixels'
import { useEnding } from './parts/useEnding'
import { hasQuit, isAway, isOtherVersion, leave, progress, retry, state, status } from './service/store'
import { isEnded, type RoomStatus } from './state/records'
import { isLooking, moodOf } from './state/statement'
import { stepsOf } from './state/steps'
import { newsOf, sentenceOf, statusText } from './words/texts'

/** A world's, in the service's words. */
const QUOTED_NAME = /“(.+)”/

/** What is going on, as one statement with one colour: a sentence, its news, the way there, and how to end it. */
export function StatusPanel() {
  // What was known before the program stopped may no longer be true.
  const now = isAway.value ? undefined : status.value
  const news = now && newsOf(now)
  const heading = useFocusAfter(now && `${now.role} ${now.state === 'Error'}`)
  const mood = `${now ? moodOf(now) : 'idle'}${isAway.value ? ' away' : ''}`
  return (
    <section class={`card status ${mood}`} aria-label={statusText('steps')}>
      <LitLantern />
      <div class="status-line">
        <span class="lamp" aria-hidden="true" />
        <div role="status">
          <h2 ref={heading} tabIndex={-1}>
            <Statement text={now ? sentenceOf(now) : statusText(absence())} />
          </h2>
        </div>
        {now?.role && now.state !== 'Error' && <Stop name={now.state} role={now.role} />}
      </div>
      {isAway.value && !hasQuit.value && <p class="news">{statusText('newsAway')}</p>}
      <Refused at="status" />
      {isOtherVersion.value && (
        <Notice
          role="alert"
          text={statusText('otherVersion')}
          actions={[[statusText('reload'), () => location.reload()]]}
        />
      )}
      {news !== undefined && (
        <p class="news">
          <Named text={news} name={QUOTED_NAME.exec(news)?.[1]} />
        </p>
      )}
      {now?.state === 'Error' && <Failure status={now} />}
      {now && isLooking(now) && <WaitOffer />}
      {now && <Difficulty />}
      {now && <StepBar status={now} />}
    </section>
  )
}

/** What is there to be seen first, and more quietly what to do about it. */
const FIRST_OF_TWO = /^(.+?(?:\.(?= )|！))\s*(?=\S)/

function Statement({ text }: { readonly text: string }) {
  const first = FIRST_OF_TWO.exec(text)?.[0] ?? text
  if (first === text) return <>{text}</>
  return (
    <>
      {first}
      <span class="then">{text.slice(first.length)}</span>
    </>
  )
}

/** How likely a direct connection is, once there is something to say of it. */
function Difficulty() {
  const difficulty = state.value?.difficulty ?? 'UNKNOWN'
  return difficulty === 'UNKNOWN' ? null : <p class="quiet">{statusText(difficulty)}</p>
}

function absence() {
  if (!isAway.value) return 'sentenceLoading'
  return hasQuit.value ? 'quitDone' : 'away'
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

function stopWordOf(name: string, role: 'host' | 'guest') {
  if (!name.endsWith('_Running') && name !== 'Guest_Reconnecting') return 'cancel'
  return role === 'host' ? 'closeRoom' : 'leaveRoom'
}

/** An open room answers sooner. */
const ANSWER_MS = 4000

/** For a guest who is there before the host. */
function WaitOffer() {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), ANSWER_MS)
    return () => clearTimeout(timer)
  }, [])
  const wait = () => {
    setLate(false)
    return retry('status', true)
  }
  if (!isLate) return null
  return (
    <div class="news row" role="status">
      <span class="grow">{statusText('noAnswerYet')}</span>
      <Button label={statusText('waitUntilOpen')} isMain act={wait} />
    </div>
  )
}

/** The way to an open room, while there is one to go. */
function StepBar({ status: now }: { readonly status: RoomStatus }) {
  if (progress.value === undefined || isEnded(now) || now.state.endsWith('_Running')) return null
  return (
    <ol class="steps">
      {stepsOf(progress.value, 0).map(({ name, state: step }) => (
        <li key={name} class={step} aria-current={step === 'current' ? 'step' : undefined}>
          <span class="step-name">{statusText(name)}</span>
          <span class="unseen">{statusText(WORDS[step])}</span>
        </li>
      ))}
    </ol>
  )
}

const WORDS = { done: 'stepDone', current: 'stepCurrent', failed: 'stepFailed', ahead: 'stepAhead' } as const
