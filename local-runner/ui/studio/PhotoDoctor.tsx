import { Button } from '../shared/Button'
import type { Examined } from './photo/examine'
import { Verdicts } from './Results'
import { openExamined, saveFromService } from './state/open'
import { work } from './state/store'
import { Leave, Title } from './Title'
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
      <p role="status">{say(state)}</p>
      {inspection && (
        <div class="row">
          {state === 'isMendable' && (
            <Button label={say('repair')} isMain act={() => saveFromService('repair')} />
          )}
          {clip !== undefined && (
            <>
              <Button label={say('cutAgain')} act={openExamined} />
              <a class="button" href={clip} download={`${name.replace(/\.\w+$/, '')}.mp4`}>
                {say('saveClip')}
              </a>
            </>
          )}
          <Button label={say('saveStill')} act={() => saveFromService('extract', { what: 'still' })} />
        </div>
      )}
      {work.value && <Working progress={work.value} />}
      <Problem />
      {inspection && <Verdicts verdicts={inspection.galleries} />}
    </section>
  )
}

/** What is found, by the name of its sentence. No photo has the marks of Huawei or Apple and those of all others. */
function stateOf({ inspection }: Examined) {
  if (!inspection) return 'isStill'
  if (!inspection.photo.clip) return 'isCutOff'
  const isMendable = inspection.galleries.some(({ gallery, recognised, problems }) => {
    const isMeant = gallery !== 'huawei' && gallery !== 'apple'
    return isMeant && recognised !== 'yes' && problems.some(({ repair }) => repair !== undefined)
  })
  return isMendable ? 'isMendable' : 'isWhole'
}
