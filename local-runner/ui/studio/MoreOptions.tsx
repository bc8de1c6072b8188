import { useState } from 'preact/hooks'
import { Check, Field, Select, type SelectProps } from '../shared/Field'
import { largestRegion } from './photo/crop'
import {
  choose,
  isCoverMissing,
  MAX_REPEAT,
  METADATA,
  mayBeHdr,
  options,
  type PhotoOptions,
  ROTATIONS,
  SHAPES,
} from './photo/options'
import { type Edited, sizeOfSource } from './photo/records'
import { say } from './words/texts'

/** Of a clip that the service makes, at most. */
const SMALL_PIXELS = 1280 * 720

type MoreProps = { readonly video: Edited; readonly isOfDevice: boolean }

/** Options that most photos do not need. They are rendered when first unfolded, so that the page shows a video sooner. */
export function MoreOptions(props: MoreProps) {
  const [wasOpened, setOpened] = useState(false)
  return (
    <details class="more" onToggle={() => setOpened(true)}>
      <summary>{say('more')}</summary>
      {(wasOpened || isCoverMissing.value) && <More {...props} />}
    </details>
  )
}

/** The still, its shape, its metadata, and a photo from the user's phone. */
function More({ video, isOfDevice }: MoreProps) {
  const { cover, coverFile, repeat, hdr, keepsSound, shape, isOriginal } = options.value
  const isLarge = isOfDevice && video.width * video.height > SMALL_PIXELS
  const isRepeatable = !(video.has_audio && keepsSound)
  const covers = (['time', 'source', 'file'] as const).filter((one) => one !== 'source' || video.has_still)
  return (
    <div class="settings">
      <Choice label={say('still')} field="cover" values={covers}>
        {(one) => say(STILLS[one])}
      </Choice>
      {cover === 'file' && (
        <label class="field">
          <span>{say('stillFile')}</span>
          <span class="button file">{coverFile?.name ?? say('choosePicture')}</span>
          <input
            type="file"
            class="unseen"
            accept="image/jpeg,image/png,image/webp,.heic,.heif"
            aria-invalid={isCoverMissing.value}
            aria-describedby={isCoverMissing.value ? 'cover-missing' : undefined}
            onChange={({ currentTarget }) => choose({ coverFile: currentTarget.files?.[0] })}
          />
          {isCoverMissing.value && (
            <small class="problem" id="cover-missing">
              {say('cover-missing')}
            </small>
          )}
        </label>
      )}
      <Select
        label={say('crop')}
        value={shape}
        values={SHAPES}
        onPick={(one) =>
          choose({ shape: one, crop: one ? largestRegion(one, sizeOfSource(video)) : undefined })
        }
      >
        {(one) => (one === '' ? say('cropNone') : one === 'own' ? say('cropOwn') : one)}
      </Select>
      <Choice label={say('rotate')} field="rotate" values={ROTATIONS}>
        {(one) => say('degrees', one)}
      </Choice>
      <Choice label={say('metadata')} field="metadata" values={METADATA}>
        {(one) => say(TOLD[one])}
      </Choice>
      <Field
        label={say('repeat')}
        hint={isRepeatable ? undefined : say('repeatHint')}
        type="number"
        min={1}
        max={MAX_REPEAT}
        value={repeat}
        disabled={!isRepeatable}
        onText={(text) => {
          // A text that is not yet a number is still being typed.
          const times = Number(text)
          if (Number.isInteger(times) && times >= 1 && times <= MAX_REPEAT) choose({ repeat: times })
        }}
      />
      {isLarge && (
        <Check
          label={say('smaller')}
          hint={say('smallerHint')}
          isOn={!isOriginal}
          onChange={(isOn) => choose({ isOriginal: !isOn })}
        />
      )}
      <Check
        label={say('hdr')}
        hint={say('hdrHint')}
        isOn={hdr && mayBeHdr(options.value)}
        isDisabled={!mayBeHdr(options.value)}
        onChange={(isOn) => choose({ hdr: isOn })}
      />
    </div>
  )
}

type Chosen = 'cover' | 'rotate' | 'metadata'
type ChoiceProps<Name extends Chosen> = Omit<SelectProps<PhotoOptions[Name]>, 'value' | 'onPick'>

/** One of the options that are among several values. */
function Choice<Name extends Chosen>({ field, ...shown }: ChoiceProps<Name> & { readonly field: Name }) {
  return <Select {...shown} value={options.value[field]} onPick={(one) => choose({ [field]: one })} />
}

const STILLS = { time: 'stillTime', source: 'stillSource', file: 'stillOwn' } as const
const TOLD = { date: 'metadataDate', none: 'metadataNone', all: 'metadataAll' } as const
