import { Button } from '../shared/Button'
import { ChooseFiles } from './DropArea'
import { Moving } from './Live'
import { type Examined, findingsOf } from './photo/examine'
import { saveOf } from './state/give'
import { namesOf } from './state/list'
import { makeOfExamined } from './state/make'
import { openExamined } from './state/open'
import { isServed, work } from './state/store'
import { Leave, Title } from './Title'
import { PhoneChoice, Verdicts } from './Verdicts'
import { Problem, Working } from './Working'
import { say } from './words/texts'

/** A photo as it moves, where it does, what can be mended, and what can be taken out of it. */
export function PhotoDoctor({ photo }: { readonly photo: Examined }) {
  const { name, inspection, clip, still } = photo
  return (
    <section class="card editor">
      <div class="row heading">
        <Title text={name} when={photo} />
        <Leave />
      </div>
      <div class="doctor">
        <Moving still={still} clip={clip} name={name} />
        <div class="stack">
          <Findings photo={photo} />
          {work.value && <Working progress={work.value} />}
          <Problem />
          {inspection && (
            <>
              <PhoneChoice />
              <Verdicts
                verdicts={inspection.galleries}
                seconds={inspection.clip?.duration}
                make={clip && isServed.value ? makeOfExamined : undefined}
              />
            </>
          )}
        </div>
      </div>
    </section>
  )
}

/** One sentence about the photo, and what can be done with it. */
function Findings({ photo }: { readonly photo: Examined }) {
  const { inspection, clip, name } = photo
  const { state, moving } = findingsOf(photo)
  const isMendable = state === 'isMendable' || state === 'isPartly'
  const isAlone = state === 'isStill'
  return (
    <>
      <p role="status" class="finding">
        {say(state, namesOf(moving))} {clip === undefined && !isAlone && say('takeOriginal')}
      </p>
      {isAlone && (
        <>
          <p class="quiet">{say('addVideoText')}</p>
          <p class="row">
            <ChooseFiles label={say('addVideo')} isMain />
          </p>
          <p class="hint">{say('takeOriginal')}</p>
        </>
      )}
      {inspection && (
        <div class="row">
          {isMendable && (
            <Button
              label={say('fixAll')}
              name={`${say('fixAll')}: ${say('repair')}`}
              isMain
              act={() => saveOf('repair')}
            />
          )}
          {clip !== undefined && (
            <>
              <Button label={say('cutAgain')} isMain={state === 'isUnplayable'} act={openExamined} />
              <a class="button" href={clip} download={`${name.replace(/\.\w+$/, '')}.mp4`}>
                {say('saveClip')}
              </a>
            </>
          )}
          <Button label={say('saveStill')} act={() => saveOf('still')} />
          {isServed.value && clip !== undefined && (
            <Button label={say('saveGif')} act={() => saveOf('gif')} />
          )}
        </div>
      )}
    </>
  )
}
