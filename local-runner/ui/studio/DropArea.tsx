import { useEffect, useRef, useState } from 'preact/hooks'
import { openFile, problem } from './store'
import { say } from './texts'

/** Takes a file that is dropped anywhere on the page, pasted, or chosen. */
export function DropArea() {
  const input = useRef<HTMLInputElement>(null)
  const isOver = useFiles()
  return (
    <section class={`drop card ${isOver ? 'over' : ''}`}>
      <p class="lead">{say('lead')}</p>
      <h2>{say(isOver ? 'dropNow' : 'dropTitle')}</h2>
      <p class="quiet">{say('dropText')}</p>
      <input
        ref={input}
        type="file"
        accept="video/*,image/gif,image/webp,image/apng,image/png,image/avif"
        class="unseen"
        tabIndex={-1}
        aria-hidden="true"
        onChange={(event) => take(event.currentTarget.files?.[0])}
      />
      <button type="button" class="main" onClick={() => input.current?.click()}>
        {say('choose')}
      </button>
    </section>
  )
}

/** @returns whether something is being dragged over the page */
function useFiles(): boolean {
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
      take(event.dataTransfer?.files[0])
    }
    const paste = ({ clipboardData }: ClipboardEvent) => {
      if (clipboardData?.files[0]) take(clipboardData.files[0])
    }
    window.addEventListener('dragover', over, { signal })
    window.addEventListener('dragleave', leave, { signal })
    window.addEventListener('drop', drop, { signal })
    window.addEventListener('paste', paste, { signal })
    return () => controller.abort()
  }, [])
  return isOver
}

function take(file: File | undefined): void {
  if (file) void openFile(file, file.name || say('pasted'))
  else problem.value = { sentence: say('notAFile'), detail: undefined }
}
