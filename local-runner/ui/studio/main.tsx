import { effect } from '@preact/signals'
import { render } from 'preact'
import { App } from './App'
import { say } from './texts'

const root = document.getElementById('app')
if (root) render(<App />, root)

effect(() => {
  document.title = say('title')
})
