import { useState } from 'preact/hooks'
import { Named } from '../shared/Named'
import { Refused } from './parts/Notice'
import { diagnosis, examine, saveReport } from './service/troubleshooting'
import type { DoctorFinding } from './words/sentence'
import { findingOf } from './words/sentence'
import { say } from './words/texts'

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
        <button type="button" disabled={isLooking} onClick={look}>
          {say(isLooking ? 'doctorLooking' : 'doctorLook')}
        </button>
        <button type="button" onClick={() => void saveReport()}>
          {say('reportSave')}
        </button>
      </p>
      <Refused at="doctor" />
      <p class="hint">{say('reportHint')}</p>
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

function FindingRow({ finding }: { readonly finding: DoctorFinding }) {
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
