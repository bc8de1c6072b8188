import { defineMotionPhoto } from '@lantern-room/player'
import { Button } from '../shared/Button'
import { language, startPage } from '../shared/language'
import { draw, Page } from '../shared/Page'
import { givenPhoto } from '../shared/token'
import { DropArea, useFiles } from './DropArea'
import { Editor, Opening } from './Editor'
import { KeptWork } from './KeptWork'
import { LeaveDialog } from './LeaveDialog'
import { ListOfFiles } from './ListOfFiles'
import { PhotoDoctor } from './PhotoDoctor'
import { contentOf, inWorker } from './photo/inWorker'
import { Results } from './Results'
import { takeOver } from './state/give'
import { goOnWith } from './state/goOn'
import { keepWork } from './state/kept'
import { question } from './state/leaving'
import { takeFiles } from './state/list'
import { removeRemembered } from './state/open'
import { keepSteps } from './state/steps'
import { examined, fileName, list, opened, remembered, work } from './state/store'
import { shown } from './state/takeout'
import { Takeout } from './Takeout'
import { Problem, Working } from './Working'
import { reasons, say } from './words/texts'

startPage(() => say('title'))
defineMotionPhoto()
// In tasks of their own, so that input and frames come between them.
setTimeout(() => draw(<Studio />))
setTimeout(begin)
setTimeout(() => void loadWorker().catch(() => undefined))

function begin(): void {
  keepSteps()
  void keepWork().catch(() => undefined)
  if (givenPhoto) void takeOver(givenPhoto)
  void keepPage().catch(() => undefined)
}

/** Ahead: files are opened without the service, which may be gone then. */
async function loadWorker(): Promise<void> {
  reasons.value = await inWorker('reasons')
}

/** Where the page names a service worker, has it kept for visits without a network, and takes what a phone has shared with it. */
async function keepPage(): Promise<void> {
  const worker = contentOf('worker')
  if (worker === undefined || !('serviceWorker' in navigator)) return
  const own = new URLSearchParams({ page: location.pathname, photos: contentOf('photos') ?? '' })
  await navigator.serviceWorker.register(`${worker}${worker.includes('?') ? '&' : '?'}${own}`)
  await takeShared()
}

async function takeShared(): Promise<void> {
  const share = new URLSearchParams(location.search).get('shared')
  const name = `shared-${share}`
  if (share === null || !(await caches.has(name))) return
  history.replaceState(history.state, '', location.pathname)
  const cache = await caches.open(name)
  const files: File[] = []
  for (const request of await cache.keys()) {
    const response = await cache.match(request)
    if (!response) continue
    const own = decodeURIComponent(response.headers.get('X-Name') ?? '')
    files.push(new File([await response.blob()], own, { type: response.headers.get('Content-Type') ?? '' }))
  }
  await caches.delete(name)
  if (files.length > 0) takeFiles(files)
}

function Studio() {
  const isOver = useFiles()
  return (
    <Page title={say('title')} mark={<Mark />} note={<Note />}>
      {opened.value === undefined ? (
        <Beginning isOver={isOver} />
      ) : (
        <Editor key={opened.value.player} video={opened.value} />
      )}
      {opened.value === undefined && <Results />}
      {question.value && <LeaveDialog question={question.value} />}
    </Page>
  )
}

function Beginning({ isOver }: { readonly isOver: boolean }) {
  if (shown.value)
    return (
      <>
        <Problem />
        <Takeout />
      </>
    )
  if (work.value?.player) return <Opening progress={work.value} player={work.value.player} />
  if (examined.value) return <PhotoDoctor photo={examined.value} />
  if (list.value.length > 0) return <ListOfFiles />
  return (
    <>
      <KeptWork />
      {work.value === undefined ? (
        <DropArea isOver={isOver} />
      ) : (
        <Working progress={work.value} name={fileName.value} />
      )}
      <Earlier />
    </>
  )
}

function Note() {
  return (
    <p>
      {say('footer')} <a href="openapi.json">{say('apiLink')}</a>
    </p>
  )
}

function Mark() {
  return (
    <svg viewBox="0 0 32 32" width="32" height="32" aria-hidden="true">
      <rect width="32" height="32" rx="8" class="mark-back" />
      <circle cx="16" cy="16" r="8.5" fill="none" stroke="#fff" stroke-width="2.5" />
      <path d="M14 12l6 4-6 4z" fill="#fff" />
    </svg>
  )
}

/** The sessions that this browser has made and that have not expired. */
export function Earlier() {
  if (remembered.value.length === 0) return null
  const date = new Intl.DateTimeFormat(language.value, { dateStyle: 'medium', timeStyle: 'short' })
  return (
    <section class="card">
      <h2>{say('earlier')}</h2>
      <ul class="files">
        {remembered.value.map((one) => (
          <li key={one.id}>
            <span class="who">
              <strong>{one.name}</strong>
              <small>{say('expires', date.format(one.expiresAt * 1000))}</small>
            </span>
            <Button label={say('goOn')} name={`${say('goOn')} ${one.name}`} act={() => goOnWith(one)} />
            <Button
              label={say('remove')}
              name={`${say('remove')} ${one.name}`}
              act={() => removeRemembered(one)}
            />
          </li>
        ))}
      </ul>
    </section>
  )
}
