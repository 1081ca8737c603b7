-- Whether a content has these words, in any case. Some programs write an accent as a character of its own (NFD) and most do not
-- (NFC), and contents are kept as they came. So the words are looked for in both forms: normalizing every content would take ten
-- times as long. Postgres inlines this, and drops the second half for words that have only one form.
create or replace function has_words(content text, words text) returns boolean language sql immutable as $$
  select position(lower(normalize(words, nfc)) in lower(content)) > 0
    or (normalize(words, nfc) <> normalize(words, nfd) and position(lower(normalize(words, nfd)) in lower(content)) > 0)
$$;
