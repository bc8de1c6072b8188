import { Button } from '../shared/Button'
import { ChooseFiles } from './DropArea'
import { Live } from './Live'
import { change, hasPhoto } from './state/list'
import { isToMake, makeAll, openListed, waitsForService } from './state/makeList'
import { closeEditor } from './state/open'
import { canSaveIntoFolder, saveAll, saveIntoFolder } from './state/saveList'
import { type Listed, list, work } from './state/store'
import { Title } from './Title'
import { Problem, Working } from './Working'
import { say } from './words/texts'

/** Several files: what becomes of each, and photos of all at once. */
export function ListOfFiles() {
  const files = list.value
  const isBusy = work.value !== undefined
  const failed = countOf(({ state }) => state === 'refused')
  const counts = [
    say(files.length === 1 ? 'oneFile' : 'files', files.length),
    say('filesMade', countOf(hasPhoto)),
    failed > 0 && say('filesFailed', failed),
  ]
  // Together, with their reasons, once nothing moves any more.
  const shown = isBusy ? files : [...files].sort((a, b) => rankOf(a) - rankOf(b))
  return (
    <section class="card editor">
      <div class="row">
        <Title text={counts.filter(Boolean).join(' · ')} when={isBusy} />
        <ChooseFiles label={say('addFiles')} />
        <Button label={say('clearList')} disabled={isBusy} act={closeEditor} />
      </div>
      <p class="quiet">{say('listHint')}</p>
      <ul class="files tiles">
        {shown.map((listed) => (
          <FileOfList key={listed.file} listed={listed} />
        ))}
      </ul>
      <div class="bar">
        <Problem />
        {work.value ? <Working progress={work.value} /> : <Actions />}
      </div>
    </section>
  )
}

function rankOf({ state }: Listed): number {
  return state === 'refused' ? 0 : 1
}

function countOf(isCounted: (listed: Listed) => boolean): number {
  return list.value.filter(isCounted).length
}

/** What can be done with all files. */
function Actions() {
  const made = countOf(hasPhoto)
  const failed = countOf(({ state }) => state === 'refused')
  const isNew = countOf(({ state }) => state === 'waiting') > 0
  const waits = countOf(waitsForService)
  return (
    <div class="row">
      <Button
        label={say(isNew || failed === 0 ? 'makeAll' : 'retry')}
        isMain={isNew}
        disabled={countOf(isToMake) === 0}
        act={makeAll}
      />
      {made > 0 && <Button label={say('saveAll')} isMain={!isNew} act={saveAll} />}
      {made > 0 && canSaveIntoFolder() && <Button label={say('saveFolder')} act={saveIntoFolder} />}
      {waits > 0 && (
        <p class="problem" role="status">
          {say('filesWait', waits)}
        </p>
      )}
    </div>
  )
}

function FileOfList({ listed }: { readonly listed: Listed }) {
  const { file, name, state, reason, photos } = listed
  const isBusy = work.value !== undefined
  return (
    <li class={isBusy && state === 'refused' ? '' : state}>
      <Picture listed={listed} />
      <span class="who">
        <strong>{name}</strong>
        <small class={state}>{[say(state), reason].filter(Boolean).join(' · ')}</small>
      </span>
      <span class="acts">
        {photos[0] && hasPhoto(listed) && (
          <a
            class="button"
            href={photos[0].download}
            download={photos[0].name}
            aria-label={`${say('download')} ${name}`}
            onClick={() => change(file, { state: 'saved' })}
          >
            {say('download')}
          </a>
        )}
        <Button
          label={say('open')}
          name={`${say('open')} ${name}`}
          disabled={isBusy || file.size === 0}
          act={() => openListed(listed)}
        />
        <Button
          label="×"
          name={say('takeOut', name)}
          disabled={isBusy}
          act={() => {
            list.value = list.value.filter((one) => one !== listed)
          }}
        />
      </span>
    </li>
  )
}

/** What was made of a file, or else the file as far as it is known: it plays where there is something to play. */
function Picture({ listed: { name, photos, thumbnail, clip } }: { readonly listed: Listed }) {
  const [made] = photos
  const shown = made?.still ?? thumbnail
  const played = made?.clip ?? clip
  const file = made && { name: made.name, type: made.file.type, address: made.download }
  return (
    <span class="thumbnail">
      {played !== undefined && shown !== undefined ? (
        <Live still={shown} clip={played} name={say('resultName', made?.name ?? name)} file={file} hint="▶" />
      ) : (
        (shown !== undefined && <img src={shown} alt="" />) || <b>{/\w*$/.exec(name)}</b>
      )}
    </span>
  )
}
