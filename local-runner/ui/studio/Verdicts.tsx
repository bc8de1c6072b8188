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

/** Of longer clips no gallery is known to play one. */
const LONG_SECONDS = 10

type Making = {
  /** Makes the photo anew for a phone that does not play this one. */
  readonly make?: ((profile: OutputProfile) => unknown) | undefined
}

type VerdictsProps = Making & {
  readonly verdicts: readonly Verdict[]
  /** That its clip lasts. */
  readonly seconds?: number | null | undefined
}

/** Where a photo plays: on the user's phone first. */
export function Verdicts({ verdicts, seconds, make }: VerdictsProps) {
  const isLong = (seconds ?? 0) > LONG_SECONDS
  const shown = verdicts.map((verdict) => shownOf(verdict, isLong))
  const own = shown.find(({ gallery }) => gallery === phone.value)
  const others = shown.filter((one) => one !== own)
  return (
    <>
      {own && (
        <div class={`own ${own.answer}`}>
          <OneVerdict shown={own} make={make} isOwn />
        </div>
      )}
      <details open={!own}>
        <summary>{say(own ? 'otherPhones' : 'verdicts')}</summary>
        <ul class="verdicts">
          {others.map((one) => (
            <li key={one.gallery} class={one.answer}>
              <OneVerdict shown={one} make={make} />
            </li>
          ))}
        </ul>
      </details>
    </>
  )
}

/** A verdict as it is shown, and why it is no plain yes. */
type Shown = Pick<Verdict, 'gallery' | 'problems'> & {
  readonly answer: Verdict['recognised']
  readonly reason: string | undefined
}

function shownOf({ gallery, problems, recognised, plays }: Verdict, isLong: boolean): Shown {
  const answer = plays ? recognised : 'no'
  if (answer === 'yes') {
    return isLong
      ? { gallery, problems, answer: 'unsure', reason: say('longClip', LONG_SECONDS) }
      : { gallery, problems, answer, reason: undefined }
  }
  return { gallery, problems, answer, reason: problems[0] && reasonOf(problems[0]) }
}

type OneVerdictProps = Making & { readonly shown: Shown; readonly isOwn?: boolean }

function OneVerdict({ shown, make, isOwn = false }: OneVerdictProps) {
  const { gallery, problems, answer, reason } = shown
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
      {reason !== undefined && !profile && (
        <details class="why">
          <summary>{say('why')}</summary>
          <small>{reason}</small>
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

/** The phones on which photos with the marks of one of our profiles were reported to play. */
function phonesWith(gallery: string): string[] {
  const played = reports.filter(
    (report) => report.gallery === gallery && report.result === 'works' && report.profile !== null,
  )
  return [...new Set(played.map(({ phone, system }) => (system ? `${phone} (${system})` : phone)))]
}
