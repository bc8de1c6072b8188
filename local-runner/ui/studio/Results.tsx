import { useState } from 'preact/hooks'
import { Button } from '../shared/Button'
import { Live, playHint } from './Live'
import { chipsOf } from './photo/chips'
import type { Photo } from './photo/makePhoto'
import { preset } from './photo/preset'
import { canCopy, copyStill, handOver, isOnNetwork, saveGifOf } from './state/give'

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
        <Chips photo={photo} />
        {photo.turned && <p class="hint">{say('clipTurned', photo.turned)}</p>}
        {photo.lost && <p class="hint">{say('lost', photo.lost.map(nameOfLoss).join(say('comma')))}</p>}
        <Gifts photo={photo} />
        <p class="hint">{say(isPair ? 'toIphone' : 'toPhone')}</p>
        {inspection ? (
          <Verdicts
            verdicts={inspection.galleries}
            seconds={inspection.clip?.duration}
            make={opened.value ? convert : examined.value && makeOfExamined}
          />
        ) : (
          <p class="quiet">{say('allNote')}</p>
        )}
      </div>
    </article>
  )
}

/** What the photo is, in a few words each. */
function Chips({ photo }: { readonly photo: Photo }) {
  return (
    <ul class="chips">
      {chipsOf(photo).map((chip) => (
        <li key={chip}>{chip}</li>
      ))}
    </ul>
  )
}

/** The ways in which a photo leaves the page. */
function Gifts({ photo }: { readonly photo: Photo }) {
  const { name, file, download } = photo
  const files = [new File([file], name, { type: file.type })]
  return (
    <div class="row gifts">
      <a class="button main" href={download} download={name} onClick={markSaved}>
        {say('download')}
      </a>
      {preset.value === 'chat' && name.endsWith('.jpg') && (
        <Button
          label={say('saveGif')}
          isMain
          disabled={work.value !== undefined}
          act={() => saveGifOf(photo)}
        />
      )}
      {navigator.canShare?.({ files }) && (
        // It rejects when the list of programs is closed: nothing was shared then.
        <Button label={say('share')} act={() => navigator.share({ files }).then(markSaved, () => {})} />
      )}
      {canCopy(photo) && <CopyPhoto photo={photo} />}
      <HandOver photo={photo} />
    </div>
  )
}

/** Copies the still: the clipboard of browsers takes a picture, and no clip. */
function CopyPhoto({ photo }: { readonly photo: Photo }) {
  const [text, setText] = useState<'copyStill' | 'copied' | 'copyFailed'>('copyStill')
  const act = () =>
    copyStill(photo).then(
      () => setText('copied'),
      () => setText('copyFailed'),
    )
  return <Button label={say(text)} act={act} />
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
