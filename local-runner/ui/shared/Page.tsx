import { type ComponentChild, type ComponentChildren, render } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from './Button'
import { Field } from './Field'
import { chooseLanguage, common, language } from './language'
import { isTokenNeeded, token, useToken } from './token'

/** Puts the page's content in place of the frame that its HTML has. Both happen before the next paint, so nothing flashes. */
export function draw(content: ComponentChild): void {
  const root = document.getElementById('app')
  if (!root) return
  root.replaceChildren()
  render(content, root)
}

/** The frame around the content of both pages. */
export function Page(props: {
  readonly title: string
  readonly mark: ComponentChildren
  readonly note: ComponentChildren
  readonly children: ComponentChildren
}) {
  return (
    <>
      <a class="skip" href="#content">
        {common('skip')}
      </a>
      <header class="top">
        <span class="mark">{props.mark}</span>
        <h1>{props.title}</h1>
        <LanguageSwitch />
      </header>
      <main id="content" tabIndex={-1}>
        {isTokenNeeded.value ? <TokenForm /> : props.children}
      </main>
      <footer>{props.note}</footer>
    </>
  )
}

function LanguageSwitch() {
  const isChinese = language.value === 'zh-CN'
  return (
    <fieldset class="languages">
      <legend class="unseen">{common('language')}</legend>
      <Button label="中文" lang="zh-CN" aria-pressed={isChinese} act={() => chooseLanguage('zh-CN')} />
      <Button label="English" lang="en" aria-pressed={!isChinese} act={() => chooseLanguage('en')} />
    </fieldset>
  )
}

/** Asks for the token of a service that has refused a request. */
function TokenForm() {
  const [given, setGiven] = useState('')
  const submit = (event: Event) => {
    event.preventDefault()
    if (given.trim() !== '') useToken(given.trim())
  }
  return (
    <form class="card narrow" onSubmit={submit}>
      <h2>{common('tokenTitle')}</h2>
      <p>{common('tokenText')}</p>
      {token.value !== undefined && (
        <p class="problem" role="alert">
          {common('tokenWrong')}
        </p>
      )}
      <Field label={common('token')} type="password" autoComplete="off" value={given} onText={setGiven} />
      <button type="submit" class="main">
        {common('tokenUse')}
      </button>
    </form>
  )
}
