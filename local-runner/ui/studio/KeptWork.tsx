import { Button } from '../shared/Button'
import { goOn } from './state/goOn'
import { forgetWork, kept } from './state/kept'
import { work } from './state/store'
import { say } from './words/texts'

/** What was being done when the page was left or loaded anew. What the service has is among the earlier videos. */
export function KeptWork() {
  const now = kept.value
  const [first] = now?.files.filter(({ isThere, session }) => isThere || !session) ?? []
  if (!now || !first || work.value !== undefined) return null
  const isThere = now.files.some((one) => one.isThere)
  const name = now.isList ? say('files', now.files.length) : first.name
  const made = now.files.reduce((sum, { photos }) => sum + photos.length, 0)
  return (
    <section class="card row kept">
      <span class="who">
        <strong>{name}</strong>
        <small>{say(isThere ? 'keptThere' : 'keptChoose')}</small>
        {made > 0 && <small>{say('keptPhotos', made)}</small>}
      </span>
      {isThere && <Button label={say('goOn')} name={`${say('goOn')} ${name}`} isMain act={() => goOn(now)} />}
      <Button label={say('keptForget')} name={`${say('keptForget')} ${name}`} act={forgetWork} />
    </section>
  )
}
