import type { Host } from '#support/hosts/hosts'
import { type MediaFolder, openMediaFolder } from '#support/media/media'
import type { Settings } from '#support/process/serverProcess'
import { suite } from '#support/runner/suite'
import { present } from '../ports/expected'
import { accessCases } from './accessCases'
import { cleanupCases } from './cleanupCases'
import { type Clips, type Contract, GUARD_SETTINGS, type HostTraits, makeClips } from './contract'
import { convertCases } from './convertCases'
import { coverCases } from './coverCases'
import { documentCases } from './documentCases'
import { frameCases } from './frameCases'
import { partCases } from './partCases'
import { photoCases } from './photoCases'
import { prepareCases } from './prepareCases'
import { previewCases } from './previewCases'
import { progressCases } from './progressCases'
import { type Prepared, prepared } from './requests'
import { thumbnailCases } from './thumbnailCases'
import { uploadCases } from './uploadCases'

const EVERY_CASE: readonly ((contract: Contract) => void)[] = [
  documentCases,
  prepareCases,
  partCases,
  uploadCases,
  progressCases,
  previewCases,
  convertCases,
  coverCases,
  thumbnailCases,
  frameCases,
  photoCases,
  cleanupCases,
  accessCases,
]

/** One of each kind of work, for a host that differs from another only in what it runs on. */
export const QUICK_CASES = [
  documentCases,
  prepareCases,
  previewCases,
  thumbnailCases,
  cleanupCases,
  accessCases,
]

/**
 * The HTTP contract, tried on one host: docs of the contract say what, `core/media/api/` where.
 * @param start starts the host with the given settings
 */
export function mediaSuite(
  name: string,
  start: (settings: Settings) => Promise<Host>,
  traits: HostTraits = {},
  cases = EVERY_CASE,
): void {
  const test = suite<unknown>(`media API on ${name}`, { timeoutMs: 90_000 })
  let media: MediaFolder | undefined
  let clips: Clips | undefined
  let hosts: readonly Host[] = []
  let session: Prepared | undefined

  test.before(async () => {
    media = await openMediaFolder()
    clips = await makeClips(media)
    const started = await Promise.allSettled([start({}), start(GUARD_SETTINGS)])
    hosts = started.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []))
    for (const outcome of started) if (outcome.status === 'rejected') throw outcome.reason
    session = await prepared(present(hosts[0]), clips.talking)
  })
  test.after(async () => {
    await Promise.all(hosts.map((host) => host.stop()))
    await media?.remove()
  })

  const contract: Contract = {
    test,
    traits,
    clips: () => present(clips),
    open: () => present(hosts[0]),
    guarded: () => present(hosts[1]),
    session: () => present(session),
  }
  for (const add of cases) add(contract)
  test.run()
}
