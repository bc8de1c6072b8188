import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../shared/Button'
import { Demo } from './Demo'
import { PRESETS, preset } from './photo/preset'
import { noteHandles } from './state/keptFiles'
import { takeFiles } from './state/list'
import { problem } from './state/store'
import { openExport, openFolders } from './state/takeout'
import { Problem } from './Working'
import { say } from './words/texts'

/** Chooses files. @param isOver whether something is being dragged over the page */
export function DropArea({ isOver }: { readonly isOver: boolean }) {
  const isTouch = matchMedia('(pointer: coarse)').matches
  return (
    <section class={`drop card ${isOver ? 'over' : ''}`}>
      <Demo />
      <p class="lead">{say('lead')}</p>
      <h2>{say(isOver ? 'dropNow' : isTouch ? 'dropTitleTouch' : 'dropTitle')}</h2>
      {problem.value ? (
        <Problem />
      ) : (
        <p class="quiet">{`${isTouch ? '' : say('dropWhere')} ${say('dropText')}`}</p>
      )}
      <ChooseFiles label={say('choose')} isMain />
      <fieldset class="presets">
        <legend>{say('presets')}</legend>
        {PRESETS.map((one) => (
          <Button
            key={one}
            label={say(NAMES[one])}
            aria-pressed={preset.value === one}
            act={() => {
              preset.value = one
            }}
          />
        ))}
      </fieldset>
      <Button label={say('takeout')} size="small" act={() => openExport()} />
    </section>
  )
}

const NAMES = { photo: 'presetPhoto', wallpaper: 'presetWallpaper', chat: 'presetChat' } as const

export function ChooseFiles({
  label,
  isMain = false,
}: {
  readonly label: string
  readonly isMain?: boolean
}) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        accept="video/*,image/*,.heic,.heif,.zip,.livp"
        hidden
        onChange={(event) => takeFiles(event.currentTarget.files)}
      />
      <Button label={label} isMain={isMain} act={() => input.current?.click()} />
    </>
  )
}

/** Takes files that are dropped anywhere on the page, or pasted. @returns whether something is being dragged over it */
export function useFiles(): boolean {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    const over = (event: DragEvent) => {
      event.preventDefault()
      setOver(true)
    }
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false)
    }
    const drop = (event: DragEvent) => {
      event.preventDefault()
      setOver(false)
      noteHandles(event.dataTransfer?.items)
      if (!openFolders(event.dataTransfer?.items)) takeFiles(event.dataTransfer?.files)
    }
    const paste = ({ clipboardData }: ClipboardEvent) => {
      if (clipboardData?.files[0]) takeFiles(clipboardData.files)
    }
    window.addEventListener('dragover', over, { signal })
    window.addEventListener('dragleave', leave, { signal })
    window.addEventListener('drop', drop, { signal })
    window.addEventListener('paste', paste, { signal })
    return () => controller.abort()
  }, [])
  return isOver
}
