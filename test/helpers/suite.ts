import type { Suite } from 'mocha'

interface Closing {
  close(): unknown
}

/**
 * A `describe` whose tests share something that is opened before the first of them and closed after the last one.
 * As with a variable that a hook sets, it is there when hooks and tests run, and not yet when the body does:
 *
 * ```ts
 * describeWith('a receiver', startReceiver, (receiver) => {
 *   it('has a URL', () => expect(receiver.url).to.match(/^http:/))
 * })
 * ```
 */
export function describeWith<T extends Closing>(
  title: string,
  open: () => Promise<T>,
  body: (this: Suite, opened: T) => void,
): void {
  describe(title, function () {
    const opening = openedLater(open)
    before(opening.open)
    body.call(this, opening.object)
    // Hooks run in the order in which they were added, and those of the body may need what is closed here.
    after(opening.close)
  })
}

/** Called in the body of a `describe`: opened before its tests, and closed after them. */
export function openForSuite<T extends Closing>(open: () => Promise<T>): T {
  const opening = openedLater(open)
  before(opening.open)
  after(opening.close)
  return opening.object
}

/**
 * Called in the body of a `describe`: opened before each of its tests, and closed after it. Not for a context: the app
 * keeps what it knows by context, and this would be the same object for every test.
 */
export function openForEachTest<T extends Closing>(open: () => Promise<T>): T {
  const opening = openedLater(open)
  beforeEach(opening.open)
  afterEach(opening.close)
  return opening.object
}

/** Called in the body of a `describe`: made before each of its tests. The object is the same from the beginning. */
export function forEachTest<T extends object>(make: () => Promise<T>): T {
  const object = {} as T
  beforeEach(async () => {
    Object.assign(object, await make())
  })
  return object
}

/** As `forEachTest`, made once, before the first of its tests. */
export function forAllTests<T extends object>(make: () => Promise<T>): T {
  const object = {} as T
  before(async () => {
    Object.assign(object, await make())
  })
  return object
}

/**
 * One object from the beginning, so that a body can name it and take it apart. It gets a copy of what was opened: a
 * class instance would lose its methods, and one that looks at its own fields would not see what a test sets there.
 */
export function openedLater<T extends Closing>(open: () => Promise<T>) {
  const object = {} as T
  let opened: T | undefined
  return {
    object,
    open: async () => {
      opened = await open()
      Object.assign(object, opened)
    },
    /** Does nothing where opening failed: that failure is the one to report. */
    close: async () => {
      await opened?.close()
      opened = undefined
    },
  }
}
