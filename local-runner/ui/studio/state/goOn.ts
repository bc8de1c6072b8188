import { type Kept, type KeptFile, kept, photosOf } from './kept'
import { fileOf } from './keptFiles'
import { add, change, isLearnt } from './list'
import { openFile, openSession } from './open'
import type { Listed } from './store'

/** Opens what was kept as it was, with the photos that were made. */
export async function goOn({ files, isList }: Kept): Promise<void> {
  const known = await Promise.all(files.map(listedOf))
  const all = known.flatMap((one) => one ?? [])
  const [first] = all
  if (!isList || all.length < 2) {
    if (first) await openFile(first.file, first.name, first)
    return
  }
  add(all.flatMap(({ file, still }) => (still ? [still.file, file] : [file])))
  await isLearnt()
  for (const { file, cut, options, state, photos } of all) {
    const isDone = photos.length > 0 || options !== undefined
    if (isDone) change(file, { cut, options, state, photos })
  }
}

async function listedOf(one: KeptFile): Promise<Listed | undefined> {
  const file = one.isThere && one.file ? await fileOf(one.file) : undefined
  if (!file) return undefined
  const still = one.still ? await fileOf(one.still) : undefined
  const photos = await photosOf(one)
  const { name, cut, options, state } = one
  return {
    file,
    name,
    cut,
    options,
    state,
    photos,
    ...(still && { still: { file: still, momentUs: undefined } }),
  }
}

/** A session of the service, with what was chosen for it before. */
export async function goOnWith(session: { readonly id: string; readonly name: string }): Promise<void> {
  const one = kept.value?.files.find((file) => file.session?.session_id === session.id && !file.isThere)
  const { cut, options, state = 'saved' } = one ?? {}
  await openSession(session, one && { cut, options, state, photos: await photosOf(one) })
}
