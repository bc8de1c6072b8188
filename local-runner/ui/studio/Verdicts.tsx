import { reports } from '@lantern-room/formats/browser'
import type { OutputProfile } from '@lantern-room/media/browser'
import { signal } from '@preact/signals'
import { Button } from '../shared/Button'
import { Select } from '../shared/Field'
import { choose } from './photo/options'
import type { Verdict } from './photo/records'
import { work } from './state/store'
import { reasonOf, say, sayKnown } from './words/texts'

/** Phones that have a profile of their own, by its name. */
const OWN_PROFILES = ['huawei', 'apple', 'all', 'legacy'] as const
/** These, and others by their galleries. */
const PHONES = ['universal', 'google', 'samsung', 'xiaomi', 'oppo', 'vivo', ...OWN_PROFILES] as const

const KEY = 'phone'
/** The user's phone, which this browser keeps. */
const phone = signal(PHONES.find((one) => one === localStorage.getItem(KEY)) ?? 'universal')

choosePhone(phone.value)

/** Keeps what the phone is, and makes photos for it from now on. */
function choosePhone(chosen: (typeof PHONES)[number]): void {
  localStorage.setItem(KEY, chosen)
  phone.value = chosen
  choose({ profile: OWN_PROFILES.find((profile) => profile === chosen) ?? 'universal' })
}

/** The choice of the user's phone, which is kept. */
export function PhoneChoice() {
  return (
    <Select label={say('phones')} value={phone.value} values={PHONES} onPick={choosePhone}>
      {say}
    </Select>
  )
}

type Making = {
  /** Makes the photo anew for a phone that does not play this one. */
  readonly make?: ((profile: OutputProfile) => unknown) | undefined
}

/** Where a photo plays: on the user's phone first. */
export function Verdicts({ verdicts, make }: Making & { readonly verdicts: readonly Verdict[] }) {
  const own = verdicts.find(({ gallery }) => gallery === phone.value)
  const others = verdicts.filter((one) => one !== own)
  return (
    <>
      {own && (
        <div class={`own ${answerOf(own)}`}>
          <OneVerdict verdict={own} make={make} isOwn />
        </div>
      )}
      <details open={!own}>
        <summary>{say(own ? 'otherPhones' : 'verdicts')}</summary>
        <ul class="verdicts">
          {others.map((verdict) => (
            <li key={verdict.gallery} class={answerOf(verdict)}>
              <OneVerdict verdict={verdict} make={make} />
            </li>
          ))}
        </ul>
      </details>
    </>
  )
}

type OneVerdictProps = Making & { readonly verdict: Verdict; readonly isOwn?: boolean }

function OneVerdict({ verdict, make, isOwn = false }: OneVerdictProps) {
  const { gallery, problems } = verdict
  const answer = answerOf(verdict)
  const name = sayKnown(gallery) ?? gallery
  const profile = make && problems.map(({ code }) => PROFILES[code]).find(Boolean)
  const phones = answer === 'yes' ? phonesWith(gallery) : []
  const reported = phones.length > 0 && say('reportedOn', phones.join(', '))
  return (
    <>
      <span>{isOwn ? say(OWN[answer], name) : name}</span>
      {!isOwn && !profile && <strong>{say(answer === 'yes' && !reported ? 'should' : answer)}</strong>}
      {profile && (
        <Button
          label={isOwn ? say('makeFor', name) : say('makeOne')}
          name={say('makeFor', name)}
          disabled={work.value !== undefined}
          act={() => make?.(profile)}
        />
      )}
      {answer !== 'yes' && !profile && problems[0] && (
        <details class="why">
          <summary>{say('why')}</summary>
          <small>{reasonOf(problems[0])}</small>
        </details>
      )}
      {reported && <small>{reported}</small>}
      {isOwn && answer !== 'no' && !reported && <small>{say('notSeen')}</small>}
    </>
  )
}

const OWN = { yes: 'ownYes', unsure: 'ownUnsure', no: 'ownNo' } as const
/** By the code of what is wrong: the profile of a photo in which it is not. */
const PROFILES: Readonly<Partial<Record<string, OutputProfile>>> = {
  'huawei-tail': 'huawei',
  'apple-pair': 'apple',
}

function answerOf({ recognised, plays }: Verdict): Verdict['recognised'] {
  return plays ? recognised : 'no'
}

/** The phones on which photos with the marks of one of our profiles were reported to play. */
function phonesWith(gallery: string): string[] {
  const played = reports.filter(
    (report) => report.gallery === gallery && report.result === 'works' && report.profile !== null,
  )
  return [...new Set(played.map(({ phone, system }) => (system ? `${phone} (${system})` : phone)))]
}
