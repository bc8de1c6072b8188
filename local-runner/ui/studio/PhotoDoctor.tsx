import { Button } from '../shared/Button'
import type { Examined } from './photo/examine'
import { saveOf } from './state/give'
import { makeOfExamined } from './state/make'
import { openExamined } from './state/open'
import { isServed, work } from './state/store'
import { Leave, Title } from './Title'
import { PhoneChoice, Verdicts } from './Verdicts'
import { Problem, Working } from './Working'
import { say } from './words/texts'

/** Where a photo plays and why not, what can be mended, and what can be taken out of it. */
export function PhotoDoctor({ photo }: { readonly photo: Examined }) {
  const { name, inspection, clip } = photo
  const state = stateOf(photo)
  return (
    <section class="card editor">
      <div class="row">
        <Title text={name} when={photo} />
        <Leave />
      </div>
      <p role="status">
        {say(state)} {clip === undefined && say('takeOriginal')}
      </p>
      {inspection && (
        <div class="row">
          {state === 'isMendable' && <Button label={say('repair')} isMain act={() => saveOf('repair')} />}
          {clip !== undefined && (
            <>
              <Button label={say('cutAgain')} act={openExamined} />
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
      {work.value && <Working progress={work.value} />}
      <Problem />
      {inspection && (
        <>
          <PhoneChoice />
          <Verdicts
            verdicts={inspection.galleries}
            make={clip && isServed.value ? makeOfExamined : undefined}
          />
        </>
      )}
    </section>
  )
}

/** What is found, by the name of its sentence. No photo has the marks of Huawei or Apple and those of all others. */
function stateOf({ inspection }: Examined) {
  if (!inspection) return 'isStill'
  if (!inspection.clip) return 'isCutOff'
  const isMendable = inspection.galleries.some(({ gallery, recognised, problems }) => {
    const isMeant = gallery !== 'huawei' && gallery !== 'apple'
    return isMeant && recognised !== 'yes' && problems.some(({ repair }) => repair !== null)
  })
  return isMendable ? 'isMendable' : 'isWhole'
}
