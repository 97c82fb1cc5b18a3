"""Makes pages that GitHub renders work in the site of mkdocs: links out of docs/ lead to GitHub, anchors are GitHub's."""
import os
import re

LINK = re.compile(r"(\]\()([^)#\s:]+)((?:#[^)\s]*)?\))")


def slug(title, _separator):
    return re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")


def on_config(config):
    config["mdx_configs"].setdefault("toc", {})["slugify"] = slug
    return config


def on_page_markdown(markdown, page, config, **_):
    docs = config["docs_dir"]
    root = os.path.dirname(docs)
    folder = os.path.dirname(os.path.join(docs, page.file.src_path))

    def outside(match):
        target = os.path.normpath(os.path.join(folder, match[2]))
        if target.startswith(docs + os.sep):
            return match[0]
        kind = "tree" if os.path.isdir(target) else "blob"
        return f"{match[1]}{config['repo_url']}/{kind}/main/{os.path.relpath(target, root)}{match[3]}"

    return LINK.sub(outside, markdown)
