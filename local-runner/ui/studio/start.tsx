import { Page } from '../shared/Page'
import { draw, startPage } from '../shared/startPage'
import { DropArea } from './DropArea'
import { Earlier } from './Earlier'
import { Editor } from './Editor'
import { Results } from './Results'
import { problem, session, work } from './store'
import { say } from './texts'
import { Working } from './Working'

startPage(() => say('title'))
draw(<Studio />)

function Studio() {
  return (
    <Page title={say('title')} mark={<Mark />} note={<Note />}>
      {problem.value !== undefined && (
        <div class="problem" role="alert">
          <p>{problem.value.sentence}</p>
          {problem.value.detail !== undefined && <small>{problem.value.detail}</small>}
        </div>
      )}
      {session.value === undefined ? <Beginning /> : <Editor session={session.value} />}
      <Results />
    </Page>
  )
}

function Beginning() {
  return (
    <>
      {work.value === undefined ? <DropArea /> : <Working progress={work.value} />}
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
      <circle cx="16" cy="16" r="8.500" fill="none" stroke="#fff" stroke-width="2.500" />
      <path d="M14 12l6 4-6 4z" fill="#fff" />
    </svg>
  )
}
