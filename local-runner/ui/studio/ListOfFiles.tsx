import { Button } from '../shared/Button'
import { ChooseFiles } from './DropArea'
import { change, hasPhoto, isToMake, makeAll, openListed, saveAll } from './state/list'
import { closeEditor } from './state/open'
import { type Listed, list, work } from './state/store'
import { Title } from './Title'
import { Problem, Working } from './Working'
import { say } from './words/texts'

/** Several files: what becomes of each, and photos of all at once. */
export function ListOfFiles() {
  const files = list.value
  const made = files.filter(hasPhoto).length
  const isBusy = work.value !== undefined
  const isNew = files.some(({ state }) => state === 'waiting')
  return (
    <section class="card editor">
      <div class="row">
        <Title text={`${say('files', files.length)} · ${say('filesMade', made)}`} when={isBusy} />
        <ChooseFiles label={say('addFiles')} />
        <Button label={say('clearList')} disabled={isBusy} act={closeEditor} />
      </div>
      <p class="quiet">{say('listHint')}</p>
      <ul class="files">
        {files.map((listed) => (
          <FileOfList key={listed.file} listed={listed} />
        ))}
      </ul>
      {work.value ? (
        <Working progress={work.value} />
      ) : (
        <div class="row">
          <Button label={say('makeAll')} isMain={isNew} disabled={!files.some(isToMake)} act={makeAll} />
          {made > 0 && <Button label={say('saveAll')} isMain={!isNew} act={saveAll} />}
        </div>
      )}
      <Problem />
    </section>
  )
}

function FileOfList({ listed }: { readonly listed: Listed }) {
  const { file, name, state, reason, thumbnail, photos } = listed
  const isBusy = work.value !== undefined
  return (
    <li>
      <span class="thumbnail">{thumbnail !== undefined && <img src={thumbnail} alt="" />}</span>
      <span class="who">
        <strong>{name}</strong>
        <small class={state}>{[say(state), reason].filter(Boolean).join(' · ')}</small>
      </span>
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
    </li>
  )
}
