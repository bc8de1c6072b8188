/** A text with a name in it. A name that is written from right to left would turn the words around it, unless it is kept apart. */
export function Named({ text, name }: { readonly text: string; readonly name: string | undefined }) {
  const at = name ? text.indexOf(name) : -1
  if (!name || at < 0) return <>{text}</>
  return (
    <>
      {text.slice(0, at)}
      <bdi>{name}</bdi>
      {text.slice(at + name.length)}
    </>
  )
}
