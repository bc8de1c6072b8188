import { say } from '../words/texts'
import { type Kept, type KeptFile, kept, optionsOf, photosOf, takeKept } from './kept'
import { fileOf } from './keptFiles'
import { add, change, isLearnt, takeBack } from './list'
import { openFile, openSession } from './open'
import { type Listed, problem, remembered } from './store'

/** What was left, wherever its video is. */
export async function goOnWithAny(work: Kept): Promise<void> {
  const [{ isThere, session, name } = {}] = work.files
  if (!work.isList && !isThere && session) await goOnWith({ id: session.session_id, name: name ?? '' })
  else await goOn(work)
}

/** Opens what was kept as it was, with the photos that were made. */
export async function goOn({ files, isList }: Kept): Promise<void> {
  const known = await Promise.all(files.map(listedOf))
  const all = known.flatMap((one) => one ?? [])
  const absent = files.filter((_, at) => known[at] === undefined)
  await takeKept(absent)
  const [first] = all
  if (!isList || files.length < 2) {
    if (first) await openFile(first.file, first.name, first)
    return
  }
  add(all.flatMap(({ file, still }) => (still ? [still.file, file] : [file])))
  // At once: the work is kept as it is while the files are learnt of.
  for (const { file, cut, options, photos } of all) change(file, { cut, options, photos })
  await isLearnt()
  for (const one of all) if (one.photos.length > 0 || one.options) takeBack(one)
  if (absent.length > 0) problem.value = { sentence: say('keptAbsent', absent.length) }
}

async function listedOf(one: KeptFile): Promise<Listed | undefined> {
  const file = one.isThere && one.file ? await fileOf(one.file) : undefined
  if (!file) return undefined
  const still = one.still ? await fileOf(one.still) : undefined
  const { name, cut, state, session } = one
  return {
    file,
    name,
    cut,
    options: await optionsOf(one),
    state,
    photos: await photosOf(one),
    // One that is over has to be sent anew.
    session: remembered.value.some(({ id }) => id === session?.session_id) ? session : undefined,
    ...(still && { still: { file: still, momentUs: undefined } }),
  }
}

/** A session of the service, with what was chosen for it before. */
export async function goOnWith(session: { readonly id: string; readonly name: string }): Promise<void> {
  const one = kept.value?.files.find((file) => file.session?.session_id === session.id && !file.isThere)
  if (!one) return openSession(session)
  const { cut, state } = one
  const options = await optionsOf(one)
  await openSession(session, { cut, options, state, photos: await photosOf(one) })
}
