import type { OutputProfile } from '@lantern-room/media/browser'
import { renderSVG } from 'uqr'
import { ask, postJson, RequestProblem, saveFile } from '../../shared/ask'
import { token } from '../../shared/token'
import { inWorker } from '../photo/inWorker'
import { formOf, nameOf, type Photo, shownPhoto } from '../photo/makePhoto'
import { upload } from './sendFile'
import { doWork, examined, photos, work } from './store'

/** Whether the page was opened by an address and a token by which a phone opens it, too. */
export const isOnNetwork = () => token.value && !/^(localhost$|127\.|\[)/.test(location.hostname)

/** Puts a photo on the service. @returns the address of a QR code that leads a phone to it; undefined when that failed */
export async function handOver({ file, profile, isSource }: Photo): Promise<string | undefined> {
  let link: string | undefined
  await doWork((signal) =>
    upload(file, signal, async (id) => {
      const photo = `${profile}.${isSource ? 'source' : 'preview'}.${id}`
      const given = new URLSearchParams({ token: token.value ?? '', photo })
      link = `${location.origin}${location.pathname}#${given}`
    }),
  )
  return link && `data:image/svg+xml,${encodeURIComponent(renderSVG(link))}`
}

export function canCopy({ name }: Photo): boolean {
  return name.endsWith('.jpg') && typeof ClipboardItem !== 'undefined' && navigator.clipboard !== undefined
}

/** Copies the still as a PNG, the one kind of picture that all clipboards take. */
export async function copyStill({ file }: Photo): Promise<void> {
  const png = (async () => {
    const picture = await createImageBitmap(file)
    const canvas = new OffscreenCanvas(picture.width, picture.height)
    canvas.getContext('2d')?.drawImage(picture, 0, 0)
    return canvas.convertToBlob({ type: 'image/png' })
  })()
  await navigator.clipboard.write([new ClipboardItem({ 'image/png': png })])
}

/** Shows a photo that another device has put on the service. Nothing in it is to be mended, so that it comes as it was put there. */
export const takeOver = (given: string) =>
  doWork(async (signal) => {
    work.value = { stage: 'receiving' }
    const [profile, quality, upload_id] = given.split('.')
    const response = await postJson('repair', { upload_id, profile }, { signal })
    const file = await response.blob()
    const inspection = await inWorker('judge', file)
    const name = nameOf(response) ?? 'photo_MP.jpg'
    const made = { isSource: quality === 'source', profile: profile as OutputProfile }
    if (inspection) photos.value = [shownPhoto({ ...made, name, file, shown: file, inspection })]
  })

/** Saves a photo that was made as a GIF, which chats show moving. */
export const saveGifOf = ({ file, name }: Photo) =>
  doWork(async (signal) => {
    work.value = { stage: 'converting' }
    await saveAsGif(file, name, signal)
  })

async function saveAsGif(file: Blob, name: string, signal: AbortSignal): Promise<void> {
  const response = await ask('extract', { method: 'POST', body: formOf(file, name, { what: 'gif' }), signal })
  saveFile(await response.blob(), nameOf(response) ?? name)
}

/** Saves what is made of the photo that is looked at: mended, or its still, on this device; a GIF by the service. */
export const saveOf = (what: 'repair' | 'still' | 'gif') =>
  doWork(async (signal) => {
    if (!examined.value) return
    work.value = { stage: 'converting' }
    const { file, name } = examined.value
    if (what === 'gif') return saveAsGif(file, name, signal)
    const made = await inWorker('mend', file, what)
    if (typeof made === 'string') throw new RequestProblem('irreparable', made)
    saveFile(made, what === 'still' ? `still-${name}` : name)
  })
