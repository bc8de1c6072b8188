import { useState } from 'preact/hooks'
import { Button } from '../shared/Button'
import { Live, playHint } from './Live'
import { shownBytes } from './photo/cut'
import type { Photo } from './photo/makePhoto'
import { handOver, isOnNetwork } from './state/give'
import { convert, makeOfExamined } from './state/make'
import { examined, isUnsaved, opened, photos, work } from './state/store'
import { Title } from './Title'
import { Verdicts } from './Verdicts'
import { say, sayKnown } from './words/texts'

/** The photos that were made of this session, the newest first. */
export function Results() {
  if (photos.value.length === 0) return null
  return (
    <section class="results" aria-live="polite">
      <Title text={say('results')} when={photos.value[0]} />
      {photos.value.map((photo) => (
        <Result key={photo.download} photo={photo} />
      ))}
    </section>
  )
}

function Result({ photo }: { readonly photo: Photo }) {
  const { name, file, inspection } = photo
  const files = [new File([file], name, { type: file.type })]
  const isPair = inspection !== undefined && name.endsWith('.zip')
  return (
    <article class="card result">
      <Live
        still={photo.still}
        clip={photo.clip}
        name={say('resultName', name)}
        file={{ name, type: file.type, address: photo.download }}
        hint={playHint()}
      />
      <div class="stack">
        <h3 class="name">{name}</h3>
        <p class="quiet">
          {shownBytes(file.size)} · {say(photo.isSource ? 'qualitySource' : 'qualityPreview')}
          {photo.ultraHdr !== undefined && ` · ${sayKnown(`hdr-${photo.ultraHdr}`) ?? photo.ultraHdr}`}
        </p>
        {photo.turned && <p class="hint">{say('clipTurned', photo.turned)}</p>}
        {photo.lost && <p class="hint">{say('lost', photo.lost.map(nameOfLoss).join(say('comma')))}</p>}
        <a class="button main" href={photo.download} download={name} onClick={markSaved}>
          {say('download')}
        </a>
        {navigator.canShare?.({ files }) && (
          // It rejects when the list of programs is closed: nothing was shared then.
          <Button label={say('share')} act={() => navigator.share({ files }).then(markSaved, () => {})} />
        )}
        <HandOver photo={photo} />
        <p class="hint">{say(isPair ? 'toIphone' : 'toPhone')}</p>
        {inspection ? (
          <Verdicts
            verdicts={inspection.galleries}
            make={opened.value ? convert : examined.value && makeOfExamined}
          />
        ) : (
          <p class="quiet">{say('allNote')}</p>
        )}
      </div>
    </article>
  )
}

function nameOfLoss(loss: string): string {
  return sayKnown(`lost-${loss}`) ?? loss
}

/** A QR code by which a phone fetches the photo, once that is wanted: the photo is sent for it. */
function HandOver({ photo }: { readonly photo: Photo }) {
  const [code, setCode] = useState<string | undefined>()
  if (!isOnNetwork() || !photo.name.endsWith('.jpg')) return null
  if (code) return <img class="code" src={code} alt={say('phoneCode')} />
  const act = () => handOver(photo).then(setCode)
  return <Button label={say('getOnPhone')} disabled={work.value !== undefined} act={act} />
}

function markSaved(): void {
  isUnsaved.value = false
}
