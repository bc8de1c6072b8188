import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { language } from './language'
import { chooseLanguage } from './startPage'
import { common } from './texts'
import { isTokenNeeded, token, useToken } from './token'

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
      <button type="button" lang="zh-CN" aria-pressed={isChinese} onClick={() => chooseLanguage('zh-CN')}>
        中文
      </button>
      <button type="button" lang="en" aria-pressed={!isChinese} onClick={() => chooseLanguage('en')}>
        English
      </button>
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
      <label class="field">
        <span>{common('token')}</span>
        <input
          type="password"
          autoComplete="off"
          value={given}
          onInput={(event) => setGiven(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="main">
        {common('tokenUse')}
      </button>
    </form>
  )
}
