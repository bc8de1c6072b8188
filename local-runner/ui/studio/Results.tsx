import { useRef, useState } from 'preact/hooks'
import { shownBytes } from './photo/cut'
import type { Photo } from './photo/makePhoto'
import type { Verdict } from './photo/records'
import { isUnsaved, photos } from './state/store'
import { Title } from './Title'
import { reasonOf, say, sayKnown } from './words/texts'

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
  return (
    <article class="card result">
      <LivePicture photo={photo} />
      <div class="stack">
        <h3 class="name">{photo.name}</h3>
        <p class="quiet">
          {shownBytes(photo.file.size)} · {say(photo.isSource ? 'qualitySource' : 'qualityPreview')}
          {photo.ultraHdr !== undefined && ` · ${sayKnown(`hdr-${photo.ultraHdr}`) ?? photo.ultraHdr}`}
        </p>
        <a class="button main" href={photo.download} download={photo.name} onClick={markSaved}>
          {say('download')}
        </a>
        {photo.inspection ? (
          <Verdicts verdicts={photo.inspection.galleries} />
        ) : (
          <p class="quiet">{say('allNote')}</p>
        )}
      </div>
    </article>
  )
}

function markSaved(): void {
  isUnsaved.value = false
}

/** The still, whose clip plays while a mouse points at it or the keyboard focuses it, and by a tap. */
function LivePicture({ photo }: { readonly photo: Photo }) {
  const video = useRef<HTMLVideoElement>(null)
  const [isPlaying, setPlaying] = useState(false)
  // A press focuses the picture, too: what it means is said by its click.
  const isPressed = useRef(false)
  const play = () => {
    if (!video.current) return
    setPlaying(true)
    video.current.currentTime = 0
    void video.current.play().catch(() => setPlaying(false))
  }
  const stop = () => {
    setPlaying(false)
    video.current?.pause()
  }
  return (
    <button
      type="button"
      class={`live ${isPlaying ? 'playing' : ''}`}
      onPointerEnter={({ pointerType }) => pointerType === 'mouse' && play()}
      onPointerLeave={({ pointerType }) => pointerType === 'mouse' && stop()}
      onPointerDown={() => {
        isPressed.current = true
      }}
      onPointerCancel={() => {
        isPressed.current = false
      }}
      onFocus={() => isPressed.current || play()}
      onBlur={() => {
        isPressed.current = false
        stop()
      }}
      onClick={() => {
        isPressed.current = false
        if (isPlaying) stop()
        else play()
      }}
    >
      <img src={photo.still} alt={say('resultName', photo.name)} />
      {photo.clip !== undefined && (
        <video ref={video} src={photo.clip} muted loop playsInline preload="auto" />
      )}
      <span class="hint">{say(matchMedia('(hover: hover)').matches ? 'resultPlay' : 'resultTap')}</span>
    </button>
  )
}

export function Verdicts({ verdicts }: { readonly verdicts: readonly Verdict[] }) {
  return (
    <details open>
      <summary>{say('verdicts')}</summary>
      <ul class="verdicts">
        {verdicts.map((verdict) => (
          <li key={verdict.gallery} class={answerOf(verdict)}>
            <span>{sayKnown(verdict.gallery) ?? verdict.gallery}</span>
            <strong>{say(answerOf(verdict))}</strong>
            {answerOf(verdict) !== 'yes' && (
              <small>{verdict.problems[0] && reasonOf(verdict.problems[0])}</small>
            )}
          </li>
        ))}
      </ul>
    </details>
  )
}

function answerOf({ recognised, plays }: Verdict): Verdict['recognised'] {
  return plays ? recognised : 'no'
}
