import type { ComponentChildren } from 'preact'
import {
  CROPS,
  choose,
  MAX_REPEAT,
  METADATA,
  mayBeHdr,
  mayRepeat,
  options,
  type PhotoOptions,
  ROTATIONS,
} from './photo/options'
import type { Edited } from './photo/records'
import { keepsSound } from './state/store'
import { say } from './words/texts'

/** Options that most photos do not need: the still, its shape, its metadata, and a photo from the user's phone. */
export function MoreOptions({ video }: { readonly video: Edited }) {
  const { cover, crop, rotate, repeat, hdr, metadata } = options.value
  const isRepeatable = mayRepeat(video.has_audio && keepsSound.value)
  const covers = (['time', 'source', 'file'] as const).filter((one) => one !== 'source' || video.has_still)
  return (
    <details class="more">
      <summary>{say('more')}</summary>
      <div class="row settings">
        <Select label={say('still')} value={cover} values={covers} onPick={(one) => choose({ cover: one })}>
          {(one) => say(STILLS[one])}
        </Select>
        {cover === 'file' && (
          <FileField
            label={say('stillFile')}
            field="coverFile"
            accept="image/jpeg,image/png,image/webp,.heic,.heif"
          />
        )}
        <Select label={say('crop')} value={crop} values={CROPS} onPick={(one) => choose({ crop: one })}>
          {(one) => (one === '' ? say('cropNone') : one)}
        </Select>
        <Select
          label={say('rotate')}
          value={rotate}
          values={ROTATIONS}
          onPick={(one) => choose({ rotate: one })}
        >
          {(one) => say('degrees', one)}
        </Select>
        <Select
          label={say('metadata')}
          value={metadata}
          values={METADATA}
          onPick={(one) => choose({ metadata: one })}
        >
          {(one) => say(TOLD[one])}
        </Select>
        <label class="field">
          <span>{say('repeat')}</span>
          <input
            type="number"
            min={1}
            max={MAX_REPEAT}
            value={repeat}
            disabled={!isRepeatable}
            onInput={({ currentTarget }) => {
              // A text that is not yet a number is still being typed.
              const times = currentTarget.valueAsNumber
              if (Number.isInteger(times) && times >= 1 && times <= MAX_REPEAT) choose({ repeat: times })
            }}
          />
          {!isRepeatable && <small>{say('repeatHint')}</small>}
        </label>
        <FileField
          label={say('donor')}
          field="donor"
          accept="image/jpeg,.heic,.heif,.zip"
          hint={say('donorHint')}
        />
        <Check
          label={say('hdr')}
          hint={say('hdrHint')}
          isChecked={hdr && mayBeHdr(options.value)}
          isDisabled={!mayBeHdr(options.value)}
          onChange={(isChecked) => choose({ hdr: isChecked })}
        />
      </div>
    </details>
  )
}

const STILLS = { time: 'stillTime', source: 'stillSource', file: 'stillOwn' } as const
const TOLD = { date: 'metadataDate', none: 'metadataNone', all: 'metadataAll' } as const

type SelectProps<Value extends string> = {
  readonly label: string
  readonly value: Value
  readonly values: readonly Value[]
  readonly onPick: (value: Value) => void
  /** The text of a value. */
  readonly children: (value: Value) => ComponentChildren
}

export function Select<Value extends string>({ label, value, values, onPick, children }: SelectProps<Value>) {
  return (
    <label class="field">
      <span>{label}</span>
      <select
        value={value}
        onChange={({ currentTarget }) => {
          const picked = values.find((one) => one === currentTarget.value)
          if (picked !== undefined) onPick(picked)
        }}
      >
        {values.map((one) => (
          <option key={one} value={one}>
            {children(one)}
          </option>
        ))}
      </select>
    </label>
  )
}

type CheckProps = {
  readonly label: string
  readonly hint: string | undefined
  readonly isChecked: boolean
  readonly isDisabled?: boolean
  readonly onChange: (isChecked: boolean) => void
}

export function Check({ label, hint, isChecked, isDisabled = false, onChange }: CheckProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={isChecked}
        disabled={isDisabled}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <span>
        {label}
        {hint !== undefined && <small>{hint}</small>}
      </span>
    </label>
  )
}

type FileFieldProps = {
  readonly label: string
  readonly field: keyof Pick<PhotoOptions, 'coverFile' | 'donor'>
  readonly accept: string
  readonly hint?: string
}

function FileField({ label, field, accept, hint }: FileFieldProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="file"
        accept={accept}
        onChange={({ currentTarget }) => choose({ [field]: currentTarget.files?.[0] })}
      />
      {hint !== undefined && <small>{hint}</small>}
    </label>
  )
}
