import { useEffect, useRef } from 'preact/hooks'
import { saveFile } from '../shared/ask'
import { Button } from '../shared/Button'
import type { Question } from './state/leaving'
import { saveAsZip } from './state/saveList'
import { say } from './words/texts'

/** Asks before photos are lost that were not downloaded, and offers to download them. */
export function LeaveDialog({ question }: { readonly question: Question }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const { photos, waiting, answer } = question
  useEffect(() => dialog.current?.showModal(), [])
  // Several are one file: of each further one a browser asks whether it may be saved.
  const saveAll = async () => {
    const [first, second] = photos
    if (second) await saveAsZip(photos)
    else if (first) saveFile(first.file, first.name)
    answer(true)
  }
  const sentences = [
    photos.length === 1 && say('leaveOne'),
    photos.length > 1 && say('leaveMany', photos.length),
    waiting > 0 && say('leaveWaiting', waiting),
  ]
  return (
    <dialog ref={dialog} class="card leaving" aria-labelledby="leaving" onCancel={() => answer(false)}>
      <h2 id="leaving">{sentences.filter(Boolean).join(' ') || say('leaveList')}</h2>
      {photos.length > 0 && <Button label={say('leaveSave')} isMain act={saveAll} />}
      <Button label={say(photos.length > 0 ? 'leaveUnsaved' : 'leaveAnyway')} act={() => answer(true)} />
      <Button label={say('leaveStay')} act={() => answer(false)} />
    </dialog>
  )
}
