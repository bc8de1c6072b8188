import { version } from '@lantern-room/base'
import type { DoctorRecord } from '@lantern-room/room/client'
import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { ask, askJson, saveFile } from '../../shared/ask'
import { Button } from '../../shared/Button'
import { Field, Select } from '../../shared/Field'
import { language } from '../../shared/language'
import { Named } from '../../shared/Named'
import { Refused } from '../parts/Notice'
import { act, lines, progress, status } from '../service/store'
import { chosenLines } from '../state/logLines'
import type { LogLine } from '../state/records'
import { stepsOf } from '../state/steps'
import { findingOf, say, statusText } from '../words/texts'

const diagnosis = signal<DoctorRecord | undefined>(undefined)

/** Has the service look at what rooms need, which takes some seconds. */
const examine = () =>
  act('doctor', async () => {
    diagnosis.value = await askJson<DoctorRecord>('/doctor')
  })

/** Saves the log as a file. The service has left secrets out of it. */
const downloadLog = () => save('/log', 'lantern-room', 'log')
/** Saves a report, for those who help. The service has left secrets out of it. */
const saveReport = () => save('/report', 'room-report', 'json')

const save = (path: string, name: string, ending: string) =>
  act('doctor', async () => {
    const time = new Date().toISOString().slice(0, 19).replaceAll(':', '-')
    saveFile(await (await ask(path)).blob(), `${name}-${time}.${ending}`)
  })

/** Shows what works on this machine, how to fix the rest, and a report for those who help. */
export function Doctor() {
  const [isLooking, setLooking] = useState(false)
  const found = diagnosis.value
  const look = () => {
    setLooking(true)
    void examine().finally(() => setLooking(false))
  }
  return (
    <details class="card">
      <summary>
        <h2>{say('doctor')}</h2>
      </summary>
      <p class="row">
        <Button label={say(isLooking ? 'doctorLooking' : 'doctorLook')} disabled={isLooking} act={look} />
        <Button label={say('reportSave')} act={saveReport} />
      </p>
      <Refused at="doctor" />
      <p class="hint">{say('reportHint')}</p>
      <p class="hint" translate={false}>{`${say('title')} ${version}`}</p>
      {found && (
        <>
          <p role="status">{say(found.canMeet ? 'doctorCanMeet' : 'doctorCannotMeet')}</p>
          <ul class="nodes findings">
            {found.findings.map((finding) => (
              <FindingRow key={`${finding.id} ${finding.subject}`} finding={finding} />
            ))}
          </ul>
        </>
      )}
    </details>
  )
}

/** As the lamps of nodes. */
const LAMPS = { ok: 'ok', note: 'connecting', failed: 'failed' } as const
const WORDS = { ok: 'findingOk', note: 'findingNote', failed: 'findingFailed' } as const

function FindingRow({ finding }: { readonly finding: DoctorRecord['findings'][number] }) {
  const { text, hint } = findingOf(finding)
  return (
    <li class={LAMPS[finding.state]}>
      <span class="lamp" aria-hidden="true" />
      <span class="who">
        <span>
          <Named text={text} name={finding.subject ?? undefined} />
        </span>
        {hint !== undefined && <small>{hint}</small>}
      </span>
      <span class="quiet">{say(WORDS[finding.state])}</span>
    </li>
  )
}

const SHOWN = 200
const LEVELS = ['info', 'warn', 'error'] as const
const LEVEL_WORDS = { info: 'logAll', warn: 'logWarnings', error: 'logErrors' } as const

export function LogViewer() {
  const [least, setLeast] = useState<keyof typeof LEVEL_WORDS>('info')
  const [words, setWords] = useState('')
  const [paused, setPaused] = useState<readonly LogLine[] | undefined>(undefined)
  const shown = chosenLines(paused ?? lines.value, least, words).slice(-SHOWN)
  return (
    <details class="card">
      <summary>
        <h2>{say('log')}</h2>
      </summary>
      <div class="row tools">
        <Select label={say('logLevel')} value={least} values={LEVELS} onPick={setLeast}>
          {(level) => say(LEVEL_WORDS[level])}
        </Select>
        <Field label={say('logFilter')} isWide type="search" value={words} onText={setWords} />
        <Button
          label={say(paused === undefined ? 'logPause' : 'logGo')}
          aria-pressed={paused !== undefined}
          act={() => setPaused(paused === undefined ? lines.value : undefined)}
        />
        <Button label={say('logDownload')} title={say('logDownloadHint')} act={downloadLog} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by the keyboard */}
      <section class="log" tabIndex={0} aria-label={say('log')}>
        {shown.length === 0 && <p class="empty">{say('logNone')}</p>}
        {[...shown].reverse().map((line) => (
          <p key={`${line.timestamp} ${line.index}`} class={line.level}>
            <time dateTime={line.timestamp}>
              {new Date(line.timestamp).toLocaleTimeString(language.value)}
            </time>{' '}
            <b>{line.level}</b> {line.message}
          </p>
        ))}
      </section>
      <p class="hint">{say('logDownloadHint')}</p>
      {status.value?.state.endsWith('_Running') && <StepTimes />}
    </details>
  )
}

/** How long each step to the open room has taken. */
function StepTimes() {
  if (progress.value === undefined) return null
  return (
    <ol class="steps">
      {stepsOf(progress.value, 0).map(({ name, state, tookMs }) => (
        <li key={name} class={state}>
          <span class="step-name">{statusText(name)}</span>
          <span class="step-time">
            {tookMs === undefined ? '' : statusText('seconds', (tookMs / 1000).toFixed(1))}
          </span>
        </li>
      ))}
    </ol>
  )
}
