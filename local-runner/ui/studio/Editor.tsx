import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { Button } from '../shared/Button'
import { Check, Select } from '../shared/Field'
import { language } from '../shared/language'
import { CropFrame } from './CropFrame'
import { MoreOptions } from './MoreOptions'
import { FPS, type Handle, lengthOf, move, shownBytes, shownTime } from './photo/cut'
import { needsService, needsWhole } from './photo/makeLocalPhoto'
import { choose, options } from './photo/options'
import { type Progress, sizeOfSource } from './photo/records'
import { Results } from './Results'
import { convert } from './state/make'
import { cut, fileName, type Opened, setCut, work } from './state/store'
import { Leave, Title } from './Title'
import { Transport } from './Transport'
import { Timeline } from './timeline/Timeline'
import { Times } from './timeline/Times'
import { useEstimate } from './useEstimate'
import { useKeys } from './useKeys'
import { usePainted } from './usePainted'
import { usePlayer } from './usePlayer'
import { PhoneChoice } from './Verdicts'
import { Problem, Working } from './Working'
import { say } from './words/texts'

const SPEEDS = ['0.25', '0.5', '1', '1.5', '2', '4']

/** The video, the choice of a part of it, and the button that makes the photo; beside them what was made. */
export function Editor({ video: opened }: { readonly video: Opened }) {
  const player = usePlayer(opened.player)
  const frameNow = () => Math.floor(opened.player.currentTime * FPS)
  const put = (handle: Handle) => {
    const at = frameNow() + (handle === 'end' ? 1 : 0)
    setCut(move(cut.value, handle, at, opened.frames), opened.frames)
  }
  useKeys(player, frameNow, put)
  // The controls are beside or below the stage: when they appear, nothing moves.
  const isPainted = usePainted()
  // Kept, since the editor is rendered anew for each frame that the player shows.
  const below = useMemo(() => <BelowTrack video={opened} />, [opened])
  const controls = useMemo(() => <Controls video={opened} onSeek={player.seek} />, [opened, player.seek])
  return (
    <section class="card editor cutting">
      <div class="row heading">
        <Title text={fileName.value} when={opened} />
        <Leave />
      </div>
      <div class="stage">
        {opened.local?.endsSeconds !== undefined && (
          <p class="problem told" role="status">
            {say('isIncomplete', shownTime(opened.local.endsSeconds))}
          </p>
        )}
        <Screen video={opened} onClick={player.toggle} />
        <Transport player={player} frames={opened.frames} onCover={() => put('cover')} />
        <Timeline video={opened} position={player.position} onSeek={player.seek} />
        {below}
      </div>
      {isPainted && controls}
    </section>
  )
}

function BelowTrack({ video }: { readonly video: Opened }) {
  return (
    <>
      <p class="hint keys">
        {say(matchMedia('(hover: hover)').matches ? 'timelineHint' : 'timelineHintTouch')}
      </p>
      <MoreOptions video={video} isOfDevice={video.local !== undefined} />
    </>
  )
}

/** What is chosen for the photo, the button that makes it, and what was made. */
function Controls(props: { readonly video: Opened; readonly onSeek: (frame: number) => void }) {
  const { video, onSeek } = props
  return (
    <>
      <Times video={video} onSeek={onSeek} />
      <Settings video={video} />
      <Estimate video={video} />
      {work.value === undefined ? (
        <Button label={say('convert')} isMain size="large" act={() => convert()} />
      ) : (
        <Working progress={work.value} />
      )}
      <Problem />
      <Way video={video} />
      <Results />
    </>
  )
}

/** The first picture of a file that is not understood yet, where the editor will have it. */
export function Opening({ progress, player }: Pick<Opened, 'player'> & { readonly progress: Progress }) {
  const { videoWidth: width, videoHeight: height } = player
  return (
    <section class="card editor cutting">
      <div class="row heading">
        <h2 class="grow">{fileName.value}</h2>
      </div>
      <div class="stage">
        <Screen video={{ player, width, height }} />
        <div class="to-come" />
      </div>
      <Working progress={progress} />
    </section>
  )
}

type Shown = Pick<Opened, 'player' | 'width' | 'height' | 'source_width' | 'source_height'>

/** Shows a player that may have loaded its video already, turned and with what stays of it. */
function Screen({ video, onClick }: { readonly video: Shown; readonly onClick?: () => void }) {
  const place = useRef<HTMLDivElement>(null)
  const { keepsSound, rotate } = options.value
  const { player, width, height } = video
  const isTurned = Number(rotate) % 180 !== 0
  useLayoutEffect(() => place.current?.replaceChildren(player), [player])
  useEffect(() => {
    Object.assign(player, { muted: !keepsSound, onclick: onClick })
  })
  return (
    <div
      class={`screen ${isTurned ? 'turned' : ''}`}
      style={{ '--ratio': width / height, '--seen': isTurned ? height / width : width / height }}
    >
      <div class="picture" style={{ rotate: `${rotate}deg` }}>
        <div ref={place} />
        {onClick && <CropFrame picture={sizeOfSource(video)} />}
      </div>
    </div>
  )
}

/** What of the video leaves this device, and for which choice. */
function Way({ video: { local, session } }: { readonly video: Opened }) {
  if (!local) {
    const time = new Intl.DateTimeFormat(language.value, { timeStyle: 'short' })
    return <p class="hint">{say('waySent', time.format(session.expires_at * 1000))}</p>
  }
  const reason = needsService(options.value, local)
  if (!reason) return <p class="hint">{say('wayLocal')}</p>
  if (needsWhole(options.value, local)) return <p class="hint">{say('wayWhole', say(reason))}</p>
  const { file, frames } = local
  const bytes = (file.size / frames) * (cut.value.end - cut.value.start)
  return <p class="hint">{say('wayPart', say(reason)) + say('waySize', shownBytes(bytes))}</p>
}

function Settings({ video }: { readonly video: Opened }) {
  const { speed, keepsSound, isOriginal } = options.value
  return (
    <div class="settings">
      <PhoneChoice />
      <Select
        label={say('speed')}
        value={String(speed)}
        values={SPEEDS}
        onPick={(one) => choose({ speed: Number(one) })}
      >
        {(one) => `${one}×`}
      </Select>
      <Check
        label={say('sound')}
        hint={video.has_audio ? undefined : say('noSound')}
        isOn={keepsSound}
        isDisabled={!video.has_audio}
        onChange={(isOn) => choose({ keepsSound: isOn })}
      />
      {!video.local && (
        <Check
          label={say('original')}
          hint={say('originalHint')}
          isOn={isOriginal}
          onChange={(isOn) => choose({ isOriginal: isOn })}
        />
      )}
    </div>
  )
}

function Estimate({ video }: { readonly video: Opened }) {
  const { speed } = options.value
  const [bytes, isBusy] = useEstimate(video)
  return (
    <dl class="estimate">
      <div>
        <dt>{say('length')}</dt>
        <dd>{say('seconds', lengthOf(cut.value, speed).toFixed(1))}</dd>
      </div>
      {bytes !== undefined && (
        <div>
          <dt>{say('size')}</dt>
          <dd aria-busy={isBusy}>{shownBytes(bytes)}</dd>
        </div>
      )}
    </dl>
  )
}
